/**
 * The programs that the papers measured, as plain MapReduce that knows only stock Hadoop, and five
 * of them as Spark's RDDs; {@code docs/workloads.md} lists them. The same input gives the same
 * lines on every engine, whatever the number of its tasks and however often it combines.
 */
package io.sluice.workloads;
