/** Spark's plugin interface: executors report to the driver how they are, which shows it. */
package io.sluice.spark.plugin;
