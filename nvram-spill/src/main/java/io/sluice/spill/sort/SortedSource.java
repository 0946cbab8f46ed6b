package io.sluice.spill.sort;

/**
 * What a {@link SortBuffer} has sorted, partition by partition.
 *
 * <p>Thread contract: the thread of the buffer. Ownership: a view, valid until that buffer's {@code
 * reset} or {@code close}, and to be dropped then. Failure: {@link IndexOutOfBoundsException} for a
 * partition that does not exist.
 */
public interface SortedSource {
  /** Whether the partition has no record. */
  boolean isEmpty(int partition);

  /** Before the partition's first record; keys come in order, those that are equal together. */
  RecordCursor cursor(int partition);
}
