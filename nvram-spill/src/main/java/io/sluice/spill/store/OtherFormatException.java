package io.sluice.spill.store;

import java.io.IOException;

/** A pool was left by a release that laid it out otherwise. */
final class OtherFormatException extends IOException {
  private static final long serialVersionUID = 1L;

  OtherFormatException(String message) {
    super(message);
  }
}
