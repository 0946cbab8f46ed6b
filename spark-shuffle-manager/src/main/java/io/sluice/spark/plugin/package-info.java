/** Spark's plugin: executors report their state to the driver, which shows it. */
package io.sluice.spark.plugin;
