package io.sluice.mapreduce.map;

/**
 * What it took to make one map output.
 *
 * @param materializedBytes bytes that readers find
 * @param runs served, over all partitions
 * @param spillMs time in which records were sorted and written
 * @param sortMs the part of it spent ordering the index
 * @param mergeMs time in which runs were merged and committed
 * @param earlySpills of memory that somebody wanted back
 * @param memoryBytes written to the memory tier, with those that were merged and written again
 * @param diskBytes written to the disk tier, likewise
 */
public record MapOutputStats(
    long materializedBytes,
    int runs,
    long spillMs,
    long sortMs,
    long mergeMs,
    int earlySpills,
    long memoryBytes,
    long diskBytes) {}
