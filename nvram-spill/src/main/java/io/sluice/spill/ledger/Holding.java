package io.sluice.spill.ledger;

import java.util.Map;

/**
 * What one holder holds.
 *
 * @param bytes by kind, where it holds some
 * @param late whether it has been told to give back, and has not in time
 */
public record Holding(HolderId who, Map<MemoryKind, Long> bytes, boolean late) {
  /**
   * Who it is.
   *
   * @param user of the operating system
   * @param task as the engine names it
   */
  public record HolderId(String user, String application, String task, HolderRole role) {}
}
