package io.sluice.node.client;

import java.io.IOException;

/** The bytes of an output could not be had, on any transport; its producer must run again. */
public final class FetchFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  private final String outputId;

  FetchFailedException(String outputId, String message, Throwable cause) {
    super(message, cause);
    this.outputId = outputId;
  }

  /** The output. */
  public String outputId() {
    return outputId;
  }
}
