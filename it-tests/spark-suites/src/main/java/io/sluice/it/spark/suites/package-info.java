/** Spark's published test suites, run with Sluice as the shuffle manager. */
package io.sluice.it.spark.suites;
