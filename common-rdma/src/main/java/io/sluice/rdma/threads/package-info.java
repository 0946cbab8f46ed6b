/** Sluice's threads in the processes of Hadoop and Spark, which they must not disturb. */
package io.sluice.rdma.threads;
