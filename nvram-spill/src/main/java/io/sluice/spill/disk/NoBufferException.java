package io.sluice.spill.disk;

import java.io.IOException;

/**
 * All buffers of a device were in use until the deadline. Nothing was asked of the device, so this
 * says nothing about its state; the same call may succeed later.
 */
public final class NoBufferException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Says what there was no buffer for. */
  public NoBufferException(String message) {
    super(message);
  }
}
