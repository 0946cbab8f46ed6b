package io.sluice.tools.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Locale;

/**
 * What a check found, in plain words.
 *
 * @param level how good it is
 * @param subject what was looked at
 * @param what how it is
 * @param cause why it is so; may be empty
 * @param remedy the setting or command that fixes it; empty where there is nothing to fix
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Finding(Level level, String subject, String what, String cause, String remedy) {

  /** How good it is. */
  public enum Level {
    /** As it should be. */
    OK,
    /** Worth knowing; nothing is wrong with it. */
    INFO,
    /** Sluice works, but slower or with less than this machine could. */
    PROBLEM,
    /** Sluice does not work. */
    BROKEN
  }

  /** As it should be. */
  public static Finding ok(String subject, String what) {
    return new Finding(Level.OK, subject, what, "", "");
  }

  /** Worth knowing. */
  public static Finding info(String subject, String what, String cause, String remedy) {
    return new Finding(Level.INFO, subject, what, cause, remedy);
  }

  /** Works, with less than it could. */
  public static Finding problem(String subject, String what, String cause, String remedy) {
    return new Finding(Level.PROBLEM, subject, what, cause, remedy);
  }

  /** Does not work. */
  public static Finding broken(String subject, String what, String cause, String remedy) {
    return new Finding(Level.BROKEN, subject, what, cause, remedy);
  }

  /** For a terminal: one line, and one each for cause and remedy. */
  public String toText() {
    StringBuilder text = new StringBuilder("%-8s %s: %s".formatted(level, subject, what));
    if (!cause.isEmpty()) {
      text.append("\n           why:  ").append(cause);
    }
    if (!remedy.isEmpty()) {
      text.append("\n           fix: ").append(remedy);
    }
    return text.toString();
  }

  /** Numbers of bytes as people read them. */
  public static final class ByteSize {
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

  /** A word of a command that somebody is to give a shell. */
  public static final class ShellWord {
    private ShellWord() {}

    /** As it is if a shell takes it so, else in quotes. */
    public static String of(Object word) {
      String text = word.toString();
      return text.matches("[\\p{Alnum}_@%+=:,./-]+")
          ? text
          : "'" + text.replace("'", "'\\''") + "'";
    }
  }
}
