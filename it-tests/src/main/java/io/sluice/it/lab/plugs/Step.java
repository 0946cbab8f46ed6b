package io.sluice.it.lab.plugs;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** The moments at which a plug can be pulled by name, in the order in which a store meets them. */
enum Step {
  RECOVERING("former segment opened", false),
  SEGMENT_CREATED("segment created, not yet mapped", false),
  RUNS_PERSISTED("runs persisted", true),
  INDEX_PERSISTED("index persisted", true),
  FOOTER_PERSISTED("footer persisted", true),
  MARK_STORED("mark stored, not yet persisted", true),
  MARK_PERSISTED("mark persisted", true),
  COMMITTED("committed, not yet acknowledged", true),
  ACKNOWLEDGED("acknowledged", true),
  FREE_BEGUN("free begun", false),
  MARK_CLEARED("mark cleared", false),
  FREED("freed, not yet acknowledged", false),
  FREE_ACKNOWLEDGED("free acknowledged", false);

  private final String title;
  private final boolean ofCommit;

  Step(String title, boolean ofCommit) {
    this.title = title;
    this.ofCommit = ofCommit;
  }

  /** For people. */
  String title() {
    return title;
  }

  /** The steps of a commit. */
  static List<Step> ofCommit() {
    return Arrays.stream(values()).filter(step -> step.ofCommit).toList();
  }

  /** Is told of every step, in the thread that takes it, and may keep that thread for ever. */
  @FunctionalInterface
  interface Listener {
    void reached(Step step);
  }

  /**
   * Stops the thread that takes a step for the n-th time, so that the host can pull the plug just
   * there.
   *
   * <p>Thread contract: safe from any thread; the thread that stops stays for ever, which the
   * deadline of the guest ends.
   */
  static final class StopPoint implements Listener {
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
}
