package io.sluice.bench.memory;

/** A job of the bench succeeded with another output than it must have. */
public final class WrongOutputException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  WrongOutputException(String message) {
    super(message);
  }
}
