package io.sluice.spark.entry;

import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.util.Optional;

/**
 * Makes what does the work behind a class that Spark loads by name. Spark 3.5 runs on Java 8 and 11
 * too, and a JVM of those ends when it loads one of Sluice's other classes. So the classes that
 * Spark loads by name, and those that they link to, are Java 8 bytecode.
 *
 * <p>Thread contract: stateless.
 */
public final class Java17 {
  private Java17() {}

  /** Why {@link #make} makes nothing in this JVM. */
  public static String reason() {
    return "it needs Java 17 or later, and this JVM is Java "
        + System.getProperty("java.version")
        + " of "
        + System.getProperty("java.home");
  }

  /**
   * Makes an object of a class with its only constructor. Exceptions of the constructor are thrown
   * as they are.
   *
   * @return empty if this JVM is too old for the class
   */
  public static <T> Optional<T> make(Class<T> type, String className, Object... arguments) {
    try {
      Constructor<?> constructor = Class.forName(className).getDeclaredConstructors()[0];
      constructor.setAccessible(true);
      return Optional.of(type.cast(constructor.newInstance(arguments)));
    } catch (UnsupportedClassVersionError e) {
      return Optional.empty();
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException) {
        throw (RuntimeException) e.getCause();
      }
      if (e.getCause() instanceof Error) {
        throw (Error) e.getCause();
      }
      throw new IllegalStateException(className + " cannot be made", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(className + " cannot be made", e);
    }
  }
}
