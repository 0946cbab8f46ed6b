package io.sluice.tools.doctor;

import java.util.Locale;

/** Numbers of bytes as people read them. */
public final class ByteSize {
  private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

  private ByteSize() {}

  /** With its unit. */
  public static String of(long bytes) {
    double value = bytes;
    int unit = 0;
    while (value >= 1024 && unit < UNITS.length - 1) {
      value /= 1024;
      unit++;
    }
    boolean whole = value >= 10 || value == Math.rint(value);
    return String.format(Locale.ROOT, whole ? "%.0f %s" : "%.1f %s", value, UNITS[unit]);
  }
}
