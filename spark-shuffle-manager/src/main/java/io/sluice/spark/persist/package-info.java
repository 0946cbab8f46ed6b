/** Blocks that Spark would put into files, in memory-mapped segments instead. */
package io.sluice.spark.persist;
