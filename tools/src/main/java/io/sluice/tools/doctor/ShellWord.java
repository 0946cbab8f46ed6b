package io.sluice.tools.doctor;

/** A word of a command that somebody is to give a shell. */
final class ShellWord {
  private ShellWord() {}

  /** As it is if a shell takes it so, else in quotes. */
  static String of(Object word) {
    String text = word.toString();
    return text.matches("[\\p{Alnum}_@%+=:,./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
