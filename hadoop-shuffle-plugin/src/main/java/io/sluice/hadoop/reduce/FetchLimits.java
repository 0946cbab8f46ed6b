package io.sluice.hadoop.reduce;

/** How much a reduce task asks of one node at a time. */
public final class FetchLimits {
  /** Map outputs, as stock's scheduler has it. */
  public static final int MAX_MAPS_AT_ONCE = 20;

  private FetchLimits() {}
}
