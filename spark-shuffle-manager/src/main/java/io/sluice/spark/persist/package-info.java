/** Keeps persisted blocks in memory-mapped segments instead of files. */
package io.sluice.spark.persist;
