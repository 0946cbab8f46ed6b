package io.sluice.spill.format;

import io.sluice.spill.segment.Range;
import java.util.List;

/**
 * The sorted records of one partition that one spill wrote; a partition has as many runs as spills
 * had records for it.
 *
 * @param partition the reducer it is for
 * @param logicalOffsetBytes where it starts in the concatenation of the output's extents
 * @param ranges where its bytes lie, in order; empty if it has none
 * @param lengthBytes how many bytes lie there, sum of the ranges
 * @param rawLengthBytes the same before compression
 * @param records how many records
 * @param checksums of the bytes that lie there, block by block
 */
public record Run(
    int partition,
    long logicalOffsetBytes,
    List<Range> ranges,
    long lengthBytes,
    long rawLengthBytes,
    long records,
    BlockChecksums checksums) {}
