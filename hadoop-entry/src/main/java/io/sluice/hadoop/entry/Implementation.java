package io.sluice.hadoop.entry;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;

/**
 * Creates the class that does the work behind an entry. It does so by the class's name, so that the
 * JVM links nothing of it earlier. Thread contract: stateless.
 */
public final class Implementation {
  private Implementation() {}

  /**
   * Creates an object of a class with its only constructor.
   *
   * @throws Declined if the class is missing, or does not load in this JVM
   */
  public static <T> T make(Class<T> type, String className, Object... arguments) {
    try {
      Class<?> implementation = Class.forName(className);
      Constructor<?> constructor = implementation.getDeclaredConstructors()[0];
      constructor.setAccessible(true);
      return type.cast(constructor.newInstance(arguments));
    } catch (InvocationTargetException e) {
      throw declined(e.getCause());
    } catch (ReflectiveOperationException | LinkageError e) {
      throw declined(e);
    }
  }

  /** Converts a failure to load Sluice's classes into the reason to decline. */
  public static Declined declined(Throwable cause) {
    Declined declined =
        new Declined("Sluice's classes or libraries do not load on this node: " + cause);
    declined.initCause(cause);
    return declined;
  }

  /** Sluice declines a task and leaves it to stock; the message is the reason. */
  public static final class Declined extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Declines for this reason, in plain words. */
    public Declined(String reason) {
      super(reason);
    }
  }

  /**
   * Whether this JVM can run Sluice. Hadoop 3.3 and 3.4 run on Java 8 and 11, and a JVM of those
   * exits when it loads one of Sluice's other classes. So the classes that Hadoop loads by name,
   * and those that they link to before this check, are Java 8 bytecode.
   */
  public static final class JavaVersion {
    static final int REQUIRED = 17;

    private static final String LEGACY_PREFIX = "1.";

    private JavaVersion() {}

    /** The version of this JVM, for {@link #declineReason}. */
    public static String current() {
      return System.getProperty("java.specification.version");
    }

    /**
     * Returns why Sluice does not run on a JVM, or null if it does.
     *
     * @param specification a value of {@code java.specification.version}: 1.8, 11, 17
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
}
