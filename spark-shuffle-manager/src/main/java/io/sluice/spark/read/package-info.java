/** Reads blocks from the pools of other executors. */
package io.sluice.spark.read;
