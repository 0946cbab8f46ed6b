/** Calls that differ between releases of Spark. */
package io.sluice.spark.engine;
