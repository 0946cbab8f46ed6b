package io.sluice.local.task;

import java.util.concurrent.atomic.LongAdder;

/**
 * How far all maps or all reduces of a job are, kept while they run: clients ask often, and a job
 * may have very many.
 *
 * <p>Thread contract: safe from any thread.
 */
public final class ProgressSum {
  /** Parts of a whole task; sums of whole numbers stay right however many are added. */
  private static final long PARTS = 1 << 20;

  private final LongAdder parts = new LongAdder();

  /** A task was so far, and is that far now, from 0 to 1 each. */
  void change(float before, float now) {
    parts.add(parts(now) - parts(before));
  }

  private static long parts(float progress) {
    return (long) (progress * PARTS);
  }

  /** How far so many tasks are on average. */
  public float mean(int tasks) {
    return tasks == 0 ? 0 : (float) ((double) parts.sum() / tasks / PARTS);
  }
}
