/** Reports of executors, and the tab in Spark's web UI that shows them. */
package io.sluice.spark.report;
