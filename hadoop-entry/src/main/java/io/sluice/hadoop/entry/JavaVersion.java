package io.sluice.hadoop.entry;

/**
 * Whether this JVM runs Sluice. Hadoop 3.3 and 3.4 run on Java 8 and 11, where a class of Sluice's
 * own ends the JVM that loads it. So what Hadoop loads by name, and all that this links to before
 * it has asked here, is Java 8 bytecode.
 */
public final class JavaVersion {
  static final int REQUIRED = 17;

  private static final String LEGACY_PREFIX = "1.";

  private JavaVersion() {}

  /** The version of this JVM, as {@link #declineReason} takes it. */
  public static String current() {
    return System.getProperty("java.specification.version");
  }

  /**
   * Why Sluice does not run on such a JVM, or null if it does.
   *
   * @param specification as {@code java.specification.version} has it: 1.8, 11, 17
   */
  public static String declineReason(String specification) {
    String number =
        specification.startsWith(LEGACY_PREFIX)
            ? specification.substring(LEGACY_PREFIX.length())
            : specification;
    return Integer.parseInt(number) >= REQUIRED
        ? null
        : "it needs Java " + REQUIRED + " or later, and this JVM is Java " + number;
  }
}
