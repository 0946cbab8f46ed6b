package io.sluice.spill.disk;

/**
 * The purposes of reads and writes, best first: those that a thread waits for come first.
 *
 * <p>The order is Mammoth's (section 5.1): memory is freed in the reverse of the order in which it
 * is granted, received data first. Tasks map their own runs to read them, past the queue.
 */
public enum IoClass {
  /** A reader waits for a window, or a service for an index. */
  READ_SEND,
  /** Received data is written because a request waits for memory. */
  WRITE_RECEIVE,
  /** An output is moved because a request waits for memory. */
  WRITE_SEND,
  /** A map writes its sorted records. */
  WRITE_SORT,
  /** Bytes that will be read soon. */
  READ_AHEAD,
  /** An output is moved before a request waits for memory. */
  WRITE_AHEAD,
  /** A background copy is written; only while nothing else is done. */
  COPY;

  /** Whether a request waits for the memory that this frees. */
  boolean freesMemory() {
    return this == WRITE_RECEIVE || this == WRITE_SEND;
  }
}
