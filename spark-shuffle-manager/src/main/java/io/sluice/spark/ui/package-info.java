/** The tab in Spark's web UI. */
package io.sluice.spark.ui;
