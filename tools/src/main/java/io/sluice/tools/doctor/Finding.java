package io.sluice.tools.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.Locale;

/**
 * The result of a check, in plain words. Public, because the command prints it as text or JSON.
 *
 * @param level how serious it is
 * @param subject what was checked
 * @param what its state
 * @param cause the reason for that state; may be empty
 * @param remedy the setting or command that fixes it; empty where there is nothing to fix
 */
@JsonInclude(JsonInclude.Include.NON_EMPTY)
public record Finding(Level level, String subject, String what, String cause, String remedy) {

  /** How serious a finding is. */
  public enum Level {
    /** As expected. */
    OK,
    /** A fact to know; nothing is wrong. */
    INFO,
    /** Sluice works, but is slower or has less memory than this machine allows. */
    PROBLEM,
    /** Sluice does not work. */
    BROKEN
  }

  /** A finding that all is as expected. */
  public static Finding ok(String subject, String what) {
    return new Finding(Level.OK, subject, what, "", "");
  }

  /** A finding for information. */
  public static Finding info(String subject, String what, String cause, String remedy) {
    return new Finding(Level.INFO, subject, what, cause, remedy);
  }

  /** A finding that something makes Sluice slower or smaller than it could be. */
  public static Finding problem(String subject, String what, String cause, String remedy) {
    return new Finding(Level.PROBLEM, subject, what, cause, remedy);
  }

  /** A finding that something keeps Sluice from working. */
  public static Finding broken(String subject, String what, String cause, String remedy) {
    return new Finding(Level.BROKEN, subject, what, cause, remedy);
  }

  /** The text for a terminal: one line, and one more for the cause and for the remedy each. */
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

  /** Formats numbers of bytes for people. */
  public static final class ByteSize {
    private static final String[] UNITS = {"bytes", "KiB", "MiB", "GiB", "TiB"};

    private ByteSize() {}

    /** The number with its unit, such as {@code 1.5 MiB}. */
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

  /** Quotes words of the commands in remedies, so that they can be pasted into a shell. */
  public static final class ShellWord {
    private ShellWord() {}

    /** The word itself if a shell needs no quotes around it, else the word in quotes. */
    public static String of(Object word) {
      String text = word.toString();
      return text.matches("[\\p{Alnum}_@%+=:,./-]+")
          ? text
          : "'" + text.replace("'", "'\\''") + "'";
    }
  }
}
