package io.sluice.spill.ledger;

/** Uses of a node's memory. */
public enum MemoryKind {
  /** Chunks that a map task fills. */
  SORT,
  /** Promised to the same task for the runs of those chunks, and not leased yet. */
  ROOM,
  /** Leased by the writer of an output that is not committed. */
  WRITING,
  /** Committed outputs, of an application and of no task. */
  SEND,
  /** Memory that a reduce task receives into. */
  RECEIVE,
  /** Left by an ended task, and not free yet. */
  SETTLING,
  /** Found at a restart; a task may still write to it. */
  QUARANTINE
}
