/**
 * Jobs that run inside stock Spark for the tests and the demo, in a jar of their own that knows
 * nothing of Sluice. The classes that the harness names or reads need none of Spark.
 */
package io.sluice.it.spark.jobs;
