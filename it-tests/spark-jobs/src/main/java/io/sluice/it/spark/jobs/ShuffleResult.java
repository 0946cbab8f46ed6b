package io.sluice.it.spark.jobs;

import java.util.SortedSet;

/**
 * What one shuffle gave.
 *
 * @param name of the shuffle: the same for the same shuffle, and for no other
 * @param count rows of the result
 * @param digest of the result, whatever the order of its rows
 * @param sorted whether the keys of the result ascend through all its partitions; means something
 *     after a sort only
 * @param adaptiveReads how the final plan of a query reads its shuffles, such as {@code coalesced
 *     and skewed}
 * @param wallMs from the first stage to the last
 */
public record ShuffleResult(
    String name,
    long count,
    String digest,
    boolean sorted,
    SortedSet<String> adaptiveReads,
    long wallMs) {}
