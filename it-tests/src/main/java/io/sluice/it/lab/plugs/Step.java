package io.sluice.it.lab.plugs;

import java.util.Arrays;
import java.util.List;

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

  /** The steps of a commit, or all the others. */
  static List<Step> ofCommit(boolean ofCommit) {
    return Arrays.stream(values()).filter(step -> step.ofCommit == ofCommit).toList();
  }

  /** Is told of every step, in the thread that takes it, and may keep that thread for ever. */
  @FunctionalInterface
  interface Listener {
    void reached(Step step);
  }
}
