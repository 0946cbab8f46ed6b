package io.sluice.spill.format;

/**
 * Which bytes a committed output is, whatever place they lie in: what is the same in every copy of
 * it. Offsets count through its extents, in their order.
 *
 * @param id its name
 * @param writerGeneration of the lease that wrote it
 * @param partitionCount how many partitions the job has
 * @param runCount how many runs the index lists
 * @param dataLengthBytes bytes of all runs, which come first
 * @param indexOffsetBytes where the index begins
 * @param indexLengthBytes length of the index
 * @param indexCrc32c CRC32C of the index
 */
public record OutputIdentity(
    OutputId id,
    long writerGeneration,
    int partitionCount,
    int runCount,
    long dataLengthBytes,
    long indexOffsetBytes,
    int indexLengthBytes,
    int indexCrc32c) {}
