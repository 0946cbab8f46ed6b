package io.sluice.bench.chain;

/**
 * What a chain of jobs cost.
 *
 * @param wallMs from the driver's start to its end
 * @param cpuMs processor time of the driver, of all containers and all daemons
 * @param writtenBytes to files on disks, by all of them
 * @param copyMs what {@code hadoop fs -cp} of the result to HDFS takes besides; 0 where it is there
 */
record ChainCosts(long wallMs, long cpuMs, long writtenBytes, long copyMs) {}
