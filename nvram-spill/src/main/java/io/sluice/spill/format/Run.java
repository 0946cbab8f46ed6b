package io.sluice.spill.format;

/**
 * The sorted records of one partition that one spill wrote; a partition has as many runs as spills
 * had records for it. Together with the name of its output this says which bytes are meant, and not
 * where they lie: that is a {@link RunLocation}. Two runs of one output that are equal have the
 * same bytes.
 *
 * @param partition the reducer it is for
 * @param ordinal its number among the runs of its partition, from 0 on
 * @param lengthBytes how long it is as it is stored
 * @param rawLengthBytes the same before compression
 * @param chunkBytes raw length of the chunks, of a power of two bytes, that were each compressed by
 *     itself; 0 without
 * @param records how many records
 * @param checksums of the bytes as they are stored, block by block
 */
public record Run(
    int partition,
    int ordinal,
    long lengthBytes,
    long rawLengthBytes,
    int chunkBytes,
    long records,
    BlockChecksums checksums) {}
