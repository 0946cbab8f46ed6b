package io.sluice.it.limit;

/** A bound that could not be set, kept or taken away. */
public final class LimitException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LimitException(String message) {
    super(message);
  }

  public LimitException(String message, Throwable cause) {
    super(message, cause);
  }
}
