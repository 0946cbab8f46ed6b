package io.sluice.spill.store;

/**
 * Copies on disk of outputs that lie in memory.
 *
 * @param outputs how many outputs have one now
 * @param bytes of these copies on the disk tier
 * @param failures times so far that an output could not be copied, but for lack of room
 * @param dropped copies so far that were given up because their room was needed
 */
public record CopyStats(int outputs, long bytes, long failures, long dropped) {}
