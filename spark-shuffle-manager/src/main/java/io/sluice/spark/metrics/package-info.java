/** Counters of an executor, and the metrics and reports that show them. */
package io.sluice.spark.metrics;
