package io.sluice.local.loader;

import java.util.Set;

/**
 * Whose a class, or a thread, is: the slot's that its class loader is, or is below. Groovy's, Pig's
 * and Hive's programs make class loaders below the one that they are given.
 *
 * <p>Thread contract: stateless.
 */
public final class SlotOwners {
  private SlotOwners() {}

  /** The slot that a class loader is, or is below; null if there is none. */
  static <T> T of(ClassLoader loader, Class<T> slot) {
    ClassLoader each = loader;
    while (each != null && !slot.isInstance(each)) {
      each = each.getParent();
    }
    return slot.cast(each);
  }

  /** That of the current thread, which its context class loader tells; null if there is none. */
  static <T> T ofThread(Class<T> slot) {
    return of(Thread.currentThread().getContextClassLoader(), slot);
  }

  /** Whether a class is of one of these class loaders, or of one below them. */
  static boolean have(Set<? extends ClassLoader> loaders, Class<?> of) {
    ClassLoader each = of.getClassLoader();
    while (each != null && !loaders.contains(each)) {
      each = each.getParent();
    }
    return each != null;
  }

  /** The same of an object's class; null is of none. */
  public static boolean haveMade(Set<? extends ClassLoader> loaders, Object registered) {
    return registered != null && have(loaders, registered.getClass());
  }
}
