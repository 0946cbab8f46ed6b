/**
 * Jobs that run inside stock Spark for the tests and the demo, in a jar of their own that knows
 * nothing of Sluice. What the harness names or reads of them needs no class of Spark.
 */
package io.sluice.it.spark.jobs;
