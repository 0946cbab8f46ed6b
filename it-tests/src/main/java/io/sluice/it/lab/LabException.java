package io.sluice.it.lab;

/** A guest that did not boot, hung, or broke; the message has the end of its console. */
public final class LabException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public LabException(String message) {
    super(message);
  }

  public LabException(String message, Throwable cause) {
    super(message, cause);
  }
}
