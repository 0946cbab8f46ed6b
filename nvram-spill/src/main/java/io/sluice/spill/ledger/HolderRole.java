package io.sluice.spill.ledger;

/** Kinds of processes that hold memory. */
public enum HolderRole {
  /** A map task. */
  MAP,
  /** A reduce task. */
  REDUCE,
  /** A process of many tasks, among which it divides its memory itself. */
  EXECUTOR
}
