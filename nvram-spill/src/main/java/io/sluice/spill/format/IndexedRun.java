package io.sluice.spill.format;

/**
 * A run as the index of its output has it.
 *
 * @param run which bytes
 * @param logicalOffsetBytes where it starts in the concatenation of the output's extents, wherever
 *     those lie
 */
public record IndexedRun(Run run, long logicalOffsetBytes) {}
