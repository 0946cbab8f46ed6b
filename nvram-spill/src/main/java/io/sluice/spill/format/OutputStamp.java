package io.sluice.spill.format;

/**
 * What a writer says it commits: enough to know the output again wherever it lies by then.
 *
 * @param id its name
 * @param writerGeneration of the lease that wrote it
 * @param identityCrc32c {@link OutputIdentity#crc32c()}
 */
public record OutputStamp(OutputId id, long writerGeneration, int identityCrc32c) {}
