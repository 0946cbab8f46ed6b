/** A chain of jobs on a cluster, whose files each hands on to the next. */
package io.sluice.bench.chain;
