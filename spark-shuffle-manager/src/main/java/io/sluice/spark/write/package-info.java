/** Map tasks' records on their way into the pool. */
package io.sluice.spark.write;
