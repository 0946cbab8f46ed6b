package io.sluice.hadoop.entry;

/** Sluice leaves a task to stock, for the reason that is its message. */
public final class Declined extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** For this reason, in plain words. */
  public Declined(String reason) {
    super(reason);
  }
}
