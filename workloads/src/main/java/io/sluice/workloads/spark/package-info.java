/**
 * Five of the programs as Spark's RDDs: the same arguments, inputs and output lines, from the same
 * arithmetic.
 */
package io.sluice.workloads.spark;
