package io.sluice.spill.merge;

import java.io.IOException;

/** A run was read after, or while, its input was closed: the reader's affair, not the run's. */
public final class ClosedRunException extends IOException {
  private static final long serialVersionUID = 1L;

  /** For the run that messages call {@code name}. */
  public ClosedRunException(String name) {
    super("run " + name + " is read after it was closed");
  }
}
