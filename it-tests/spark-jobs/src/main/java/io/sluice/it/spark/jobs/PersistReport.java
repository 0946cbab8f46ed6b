package io.sluice.it.spark.jobs;

import java.util.SortedMap;

/**
 * What {@link PersistJob} prints, as one line of JSON.
 *
 * @param count rows that were persisted
 * @param digest of them when they were computed
 * @param digestAgain of them as they were kept
 * @param keptPartitions how many partitions Spark's storage page counts
 * @param memoryBytes as on that page
 * @param diskBytes as on that page
 * @param stores the executors' disk stores in their own words, while the rows are kept
 * @param files how many files of theirs hold partitions meanwhile
 * @param storesAfter the disk stores when the rows were dropped
 */
public record PersistReport(
    long count,
    String digest,
    String digestAgain,
    int keptPartitions,
    long memoryBytes,
    long diskBytes,
    SortedMap<String, String> stores,
    SortedMap<String, Integer> files,
    SortedMap<String, String> storesAfter) {}
