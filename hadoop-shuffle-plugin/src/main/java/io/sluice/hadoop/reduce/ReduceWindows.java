package io.sluice.hadoop.reduce;

/**
 * The windows through which a reduce task reads remote map outputs. The fewer maps there are, the
 * larger they are.
 *
 * <p>Thread contract: immutable.
 *
 * @param windowBytes of each, a power of two
 * @param count how many there are
 */
public record ReduceWindows(int windowBytes, int count) {
  /** The smallest that is worth a read. */
  public static final int MIN_WINDOW_BYTES = 64 << 10;

  private static final int MAX_WINDOW_BYTES = 1 << 20;

  /** Windows that each map's output should be able to have; two keep a stream busy. */
  private static final int WINDOWS_PER_MAP = 4;

  /** A map that sorted in little memory has many runs. Runs without a window need extra rounds. */
  private static final int LEAST_WINDOWS = 128;

  /**
   * The windows for the outputs of so many maps, within a budget.
   *
   * @param most how many there may be; they are larger if that is few
   */
  public static ReduceWindows of(long budgetBytes, int maps, int most) {
    long windows = Math.min(most, Math.max(LEAST_WINDOWS, (long) WINDOWS_PER_MAP * maps));
    long share = budgetBytes / windows;
    int windowBytes =
        (int) Long.highestOneBit(Math.max(MIN_WINDOW_BYTES, Math.min(MAX_WINDOW_BYTES, share)));
    return new ReduceWindows(
        windowBytes, (int) Math.max(1, Math.min(budgetBytes / windowBytes, most)));
  }
}
