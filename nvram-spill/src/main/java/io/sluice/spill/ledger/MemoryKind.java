package io.sluice.spill.ledger;

/** What a node's memory is used for. */
public enum MemoryKind {
  /** Chunks that a map task fills. */
  SORT,
  /** Promised to the same task for the runs of those chunks, and not leased yet. */
  ROOM,
  /** Leased by the writer of an output that is not committed. */
  WRITING,
  /** Committed outputs, of an application and of no task. */
  SEND,
  /** What a reduce task holds to receive. */
  RECEIVE,
  /** Left behind by a task, and not to be granted yet. */
  SETTLING,
  /** Found at a restart, perhaps still written to. */
  QUARANTINE
}
