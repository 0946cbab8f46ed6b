package io.sluice.spill.format;

import java.io.IOException;

/** The bytes on the medium, or a task's statement about them, are not a valid output. */
public final class CorruptOutputException extends IOException {
  private static final long serialVersionUID = 1;

  public CorruptOutputException(String message) {
    super(message);
  }
}
