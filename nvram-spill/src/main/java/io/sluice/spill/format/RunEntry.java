package io.sluice.spill.format;

/**
 * What the index of an output has of one run, but for the checksums behind the first.
 *
 * @param ordinal its number among the runs of its partition, from 0 on
 * @param firstCrc32c of its first block
 * @param logicalOffsetBytes where it starts in the concatenation of the output's extents
 * @param lengthBytes how long it is as it is stored
 * @param rawLengths its length and that of its chunks before compression, see {@link RawLengths}
 * @param records how many records
 * @param firstFurther the number of the first of its further checksums in the index
 */
public record RunEntry(
    int ordinal,
    int firstCrc32c,
    long logicalOffsetBytes,
    long lengthBytes,
    long rawLengths,
    long records,
    int firstFurther) {}
