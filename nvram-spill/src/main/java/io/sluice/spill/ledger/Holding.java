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
   * @param task as the engine names it
   */
  public record HolderId(String user, String application, String task, HolderRole role) {}
}
