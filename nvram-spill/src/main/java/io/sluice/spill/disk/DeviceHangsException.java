package io.sluice.spill.disk;

import java.io.IOException;

/** A device has not answered in time: what lies there is as it was, and may be asked for again. */
public final class DeviceHangsException extends IOException {
  private static final long serialVersionUID = 1L;

  DeviceHangsException(String message) {
    super(message);
  }

  /** Whether that is what something failed with, or because of. */
  public static boolean isCauseOf(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      if (each instanceof DeviceHangsException) {
        return true;
      }
    }
    return false;
  }
}
