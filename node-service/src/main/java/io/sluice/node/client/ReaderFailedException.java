package io.sluice.node.client;

import java.io.IOException;

/**
 * This process cannot read, for a reason of its own: a node refuses it, or it has no descriptor
 * left. No output is at fault, and another attempt of a producer would not help.
 */
public final class ReaderFailedException extends IOException {
  private static final long serialVersionUID = 1L;

  ReaderFailedException(String message, Throwable cause) {
    super(message, cause);
  }
}
