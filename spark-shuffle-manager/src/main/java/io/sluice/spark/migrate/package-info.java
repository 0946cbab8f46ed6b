/** Moves outputs of decommissioned executors to other executors. */
package io.sluice.spark.migrate;
