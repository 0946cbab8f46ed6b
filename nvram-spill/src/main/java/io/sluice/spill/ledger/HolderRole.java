package io.sluice.spill.ledger;

/** What kind of process holds memory. */
public enum HolderRole {
  /** A map task. */
  MAP,
  /** A reduce task. */
  REDUCE,
  /** A process of many tasks that shares its memory out itself. */
  EXECUTOR
}
