/** Outputs that move to another executor because theirs is decommissioned. */
package io.sluice.spark.migrate;
