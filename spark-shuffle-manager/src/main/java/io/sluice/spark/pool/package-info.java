/** The pool of an executor, and the blocks in it. */
package io.sluice.spark.pool;
