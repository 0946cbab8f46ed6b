package io.sluice.spill.sort;

import java.io.IOException;

/**
 * The collecting side of a map task: takes serialized records until the memory for them is
 * exhausted, then sorts them by partition and key.
 *
 * <p>Life: {@link #append} until it says no, {@link #sort}, read what is sorted, {@link #reset},
 * and again. Thread contract: single thread at a time. Ownership: its owner closes it, and closes
 * it before the pool. Failure: {@link #append} answers false when a record does not fit and is then
 * not taken; exceptions are misuse, or come from who lends the pool memory, or from the job's
 * comparator, and when one leaves {@link #sort} the records have lost their order and only {@link
 * #reset} is left.
 */
public interface SortBuffer extends AutoCloseable {
  /**
   * Adds a record whose key and value lie one after the other in {@code record}.
   *
   * @return false if it does not fit: sort, write and {@link #reset}, then try again; it never will
   *     if not {@link #fitsEmpty}
   * @throws IndexOutOfBoundsException if there is no such partition, or the array is too short
   */
  boolean append(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException;

  /**
   * Whether a record of these lengths fits when the buffer is empty and has the pool for itself.
   */
  boolean fitsEmpty(int keyLength, int valueLength);

  /** Records that it has now. */
  long recordCount();

  /** Bytes of all records as a run has them, without end markers. */
  long dataBytes();

  /** Sorts what was appended, once; the view is valid until {@link #reset}. */
  SortedSource sort() throws IOException;

  /** Empties the buffer and gives its chunks back to the pool. */
  void reset();

  @Override
  void close();
}
