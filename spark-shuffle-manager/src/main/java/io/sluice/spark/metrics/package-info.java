/** What is counted, and how Spark shows it. */
package io.sluice.spark.metrics;
