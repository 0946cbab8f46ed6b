package io.sluice.spill.disk;

/**
 * Why a device is read or written, best first: what somebody waits for before what nobody waits for
 * yet.
 *
 * <p>The order is Mammoth's (section 5.1): memory is freed in the reverse of the order in which it
 * is granted, what was received first. What tasks read back of their own they map, past the queue.
 */
public enum IoClass {
  /** A reader waits for a window, or a service for an index. */
  READ_SEND,
  /** What was received gives way to somebody who waits for memory. */
  WRITE_RECEIVE,
  /** An output gives way to somebody who waits for memory. */
  WRITE_SEND,
  /** A map hands over what it sorted. */
  WRITE_SORT,
  /** What will be read soon. */
  READ_AHEAD,
  /** An output leaves memory before anybody waits for that. */
  WRITE_AHEAD,
  /** What is copied in case the memory is lost; only where nothing else is done. */
  COPY;

  /** Whether somebody waits for the memory that this frees. */
  boolean freesMemory() {
    return this == WRITE_RECEIVE || this == WRITE_SEND;
  }
}
