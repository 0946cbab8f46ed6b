package io.sluice.spill.format;

import java.io.IOException;

/** Thrown when what lies on the medium, or what a task says about it, is not a valid output. */
public final class CorruptOutputException extends IOException {
  private static final long serialVersionUID = 1;

  public CorruptOutputException(String message) {
    super(message);
  }
}
