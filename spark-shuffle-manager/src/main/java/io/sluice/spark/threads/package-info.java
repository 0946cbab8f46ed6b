/** Threads that run as an executor's user. */
package io.sluice.spark.threads;
