package io.sluice.spill.format;

/**
 * A run of an output that is being written. Unlike a {@link Run} it has no number in its partition,
 * since a merge may still replace it. It lies in the extents of its writer, and only the writer
 * knows where.
 *
 * @param partition the reducer it is for
 * @param logicalOffsetBytes where it starts in the concatenation of the writer's extents
 * @param lengthBytes how many bytes lie there
 * @param rawLengthBytes the same before compression
 * @param chunkBytes see {@link Run}
 * @param records how many records
 * @param checksums of the bytes that lie there, block by block
 */
public record WrittenRun(
    int partition,
    long logicalOffsetBytes,
    long lengthBytes,
    long rawLengthBytes,
    int chunkBytes,
    long records,
    BlockChecksums checksums) {}
