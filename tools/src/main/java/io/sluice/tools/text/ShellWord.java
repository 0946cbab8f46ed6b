package io.sluice.tools.text;

/** A word of a command that somebody is to give a shell. */
public final class ShellWord {
  private ShellWord() {}

  /** As it is if a shell takes it so, else in quotes. */
  public static String of(Object word) {
    String text = word.toString();
    return text.matches("[\\p{Alnum}_@%+=:,./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
