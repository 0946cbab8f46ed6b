/** Blocks out of the pools of other executors. */
package io.sluice.spark.read;
