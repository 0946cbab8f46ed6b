package io.sluice.bench.hadoop;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes as people write them: 256m, 1g. Decimal, as TeraSort's are. */
public final class Size {
  private static final Pattern TEXT = Pattern.compile("(\\d+)([kmg]?)b?");

  private Size() {}

  public static long parse(String text) {
    Matcher size = TEXT.matcher(text.toLowerCase(Locale.ROOT));
    if (!size.matches()) {
      throw new IllegalArgumentException(
          "a size is a number with k, m or g, such as 256m; found \"" + text + "\"");
    }
    long unit =
        switch (size.group(2)) {
          case "k" -> 1_000L;
          case "m" -> 1_000_000L;
          case "g" -> 1_000_000_000L;
          default -> 1L;
        };
    return Long.parseLong(size.group(1)) * unit;
  }

  public static String show(long bytes) {
    return bytes >= 1_000_000_000
        ? "%.1f GB".formatted(bytes / 1e9)
        : "%.0f MB".formatted(bytes / 1e6);
  }
}
