package io.sluice.spill.writer;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.segment.Range;
import java.util.List;

/**
 * A run of {@link ScratchRuns} that has ended.
 *
 * @param ranges where its bytes lie, in order; empty if it has none
 * @param lengthBytes how many they are
 * @param memoryBytes those of them that are in the memory tier
 * @param checksums of them, block by block
 */
public record ScratchRun(
    List<Range> ranges, long lengthBytes, long memoryBytes, BlockChecksums checksums) {}
