/** Hadoop's own tests of jobs in one process, with the engine in stock's place. */
package io.sluice.local.stock;
