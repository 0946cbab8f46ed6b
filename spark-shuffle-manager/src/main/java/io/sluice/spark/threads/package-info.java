/** Threads of executors. */
package io.sluice.spark.threads;
