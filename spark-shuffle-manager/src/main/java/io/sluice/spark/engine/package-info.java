/** Calls that differ between releases of Spark, its streams, and threads of its user. */
package io.sluice.spark.engine;
