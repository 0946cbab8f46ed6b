/** Counters of an executor, and the metrics that show them. */
package io.sluice.spark.metrics;
