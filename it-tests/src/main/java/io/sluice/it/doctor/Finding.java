package io.sluice.it.doctor;

/**
 * What a check found.
 *
 * @param subject what was looked at
 * @param state how good it is
 * @param text in plain words: what is there, and what to do where that is not enough
 */
public record Finding(String subject, State state, String text) {

  /** How good it is. */
  public enum State {
    /** As it should be. */
    OK,
    /** Sluice works, but slower or with less than it could. */
    LIMITED,
    /** Sluice does not work. */
    BROKEN
  }

  static Finding ok(String subject, String text) {
    return new Finding(subject, State.OK, text);
  }

  static Finding limited(String subject, String text) {
    return new Finding(subject, State.LIMITED, text);
  }

  static Finding broken(String subject, String text) {
    return new Finding(subject, State.BROKEN, text);
  }
}
