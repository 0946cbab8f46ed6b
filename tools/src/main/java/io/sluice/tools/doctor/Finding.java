package io.sluice.tools.doctor;

import com.fasterxml.jackson.annotation.JsonInclude;

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
}
