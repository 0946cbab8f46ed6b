package io.sluice.it.doctor;

import java.util.Locale;

/** Numbers of bytes as people read them. */
final class ByteSize {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

  private ByteSize() {}

  static String of(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    return unit == 0
        ? bytes + " bytes"
        : String.format(Locale.ROOT, value < 10 ? "%.1f %s" : "%.0f %s", value, UNITS[unit]);
  }
}
