package io.sluice.spill.sort;

/**
 * Walks through records in order, each on the heap, for combiners.
 *
 * <p>Thread contract: the thread of the buffer whose records they are. Ownership: a view, valid as
 * long as what the buffer has sorted is; nothing to close.
 */
public interface RecordCursor {
  /** Goes to the next record; false at the end. What the record before returned is then invalid. */
  boolean next();

  /** The array that has the key; another one after the next {@link #next}. */
  byte[] keyBytes();

  int keyOffset();

  int keyLength();

  /** The array that has the value; another one after the next {@link #next}. */
  byte[] valueBytes();

  int valueOffset();

  int valueLength();
}
