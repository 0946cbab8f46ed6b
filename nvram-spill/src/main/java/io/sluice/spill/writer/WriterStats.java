package io.sluice.spill.writer;

/**
 * What an {@link OutputWriter} did so far.
 *
 * @param memoryBytes bytes of runs written to the memory tier
 * @param diskBytes bytes of runs written to the disk tier
 * @param writeNs time between the beginning and the end of runs, so it holds the caller's gathering
 * @param persistNs time for making bytes safe, part of it inside {@code writeNs}
 */
public record WriterStats(long memoryBytes, long diskBytes, long writeNs, long persistNs) {}
