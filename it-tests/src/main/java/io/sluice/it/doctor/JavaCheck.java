package io.sluice.it.doctor;

/** The Java release this runs on. */
final class JavaCheck implements Check {
  private static final int OLDEST = 17;

  @Override
  public Finding look() {
    int release = Runtime.version().feature();
    String text = "%s from %s".formatted(Runtime.version(), System.getProperty("java.home"));
    return release >= OLDEST
        ? Finding.ok("Java", text)
        : Finding.broken("Java", text + "; needed: %d or later".formatted(OLDEST));
  }
}
