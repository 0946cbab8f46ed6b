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
}
