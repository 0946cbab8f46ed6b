package io.sluice.local.cache;

import java.nio.charset.Charset;

/**
 * What to do about names of files that this process cannot use. Java writes names in the encoding
 * of the locale that it was started in, and under {@code LC_ALL=C} that is ASCII.
 *
 * <p>Thread contract: stateless.
 */
final class LocaleAdvice {
  private static final String ENCODING = System.getProperty("sun.jnu.encoding");

  private LocaleAdvice() {}

  /** For the end of a message; empty if the names are not the reason. */
  static String about(String... names) {
    return about(Charset.forName(ENCODING), names);
  }

  static String about(Charset encoding, String... names) {
    for (String name : names) {
      if (!encoding.newEncoder().canEncode(name)) {
        return "; no file can have the name "
            + name
            + " in this process's locale, whose encoding is "
            + encoding
            + ": start Java with LC_ALL=C.UTF-8";
      }
    }
    return "";
  }
}
