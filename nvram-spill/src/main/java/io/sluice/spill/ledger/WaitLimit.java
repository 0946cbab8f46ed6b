package io.sluice.spill.ledger;

/** How long a request waits. */
public enum WaitLimit {
  /** Not at all. */
  NONE,
  /** For memory that the service itself can free, a short time at most. */
  COMING,
  /** Also for memory that other tasks may give back: its task has no other tier to write to. */
  LAST
}
