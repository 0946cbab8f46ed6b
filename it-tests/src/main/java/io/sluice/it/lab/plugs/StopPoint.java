package io.sluice.it.lab.plugs;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/**
 * Stops the thread that takes a step for the n-th time, so that the host can pull the plug just
 * there.
 *
 * <p>Thread contract: safe from any thread; the thread that stops stays for ever, which the
 * deadline of the guest ends.
 */
final class StopPoint implements Step.Listener {
  private final Step step;
  private final AtomicInteger left;
  private final Consumer<Step> stopped;

  /**
   * Creates a point.
   *
   * @param step where to stop
   * @param occurrence which time, from 1
   * @param stopped is told when a thread stands there
   */
  StopPoint(Step step, int occurrence, Consumer<Step> stopped) {
    this.step = step;
    this.left = new AtomicInteger(occurrence);
    this.stopped = stopped;
  }

  @Override
  public void reached(Step reached) {
    if (reached == step && left.decrementAndGet() == 0) {
      stopped.accept(step);
      try {
        new CountDownLatch(1).await();
      } catch (InterruptedException e) {
        throw new IllegalStateException("interrupted at a step where the plug is pulled", e);
      }
    }
  }
}
