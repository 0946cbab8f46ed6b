package io.sluice.spill.ledger;

/** How long who asks would wait. */
public enum WaitLimit {
  /** Not at all. */
  NONE,
  /** For what the service itself can free, a short time at most. */
  COMING,
  /** For what others may give back, too: it has no other tier to go to. */
  LAST
}
