package io.sluice.spill.ledger;

import java.util.Map;

/**
 * The memory of one holder.
 *
 * @param bytes by kind, if any
 * @param late whether it has missed the deadline of a notice
 */
public record Holding(HolderId who, Map<MemoryKind, Long> bytes, boolean late) {
  /**
   * Names a holder.
   *
   * @param user of the operating system
   * @param task its name in the engine
   */
  public record HolderId(String user, String application, String task, HolderRole role) {}

  /** Kinds of processes that hold memory. */
  public enum HolderRole {
    /** A map task. */
    MAP,
    /** A reduce task. */
    REDUCE,
    /** A process of many tasks, among which it divides its memory itself. */
    EXECUTOR
  }
}
