package io.sluice.hadoop.entry;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;

/** Makes what does the work behind an entry: by name, so that nothing of it links earlier. */
public final class Implementation {
  private Implementation() {}

  /**
   * An object of that class, by its only constructor.
   *
   * @throws Declined if the class is not there, or does not load in this JVM
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

  /** Of what was thrown on the way into Sluice. */
  public static Declined declined(Throwable cause) {
    Declined declined =
        new Declined("Sluice's classes or libraries do not load on this node: " + cause);
    declined.initCause(cause);
    return declined;
  }

  /** Sluice leaves a task to stock, for the reason that is its message. */
  public static final class Declined extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** For this reason, in plain words. */
    public Declined(String reason) {
      super(reason);
    }
  }

  /**
   * Whether this JVM runs Sluice. Hadoop 3.3 and 3.4 run on Java 8 and 11, where a class of
   * Sluice's own ends the JVM that loads it. So what Hadoop loads by name, and all that this links
   * to before it has asked here, is Java 8 bytecode.
   */
  public static final class JavaVersion {
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
}
