package io.sluice.local.loader;

import java.util.Set;

/**
 * Finds the slot of a class or thread: its class loader is the slot, or is below it. Programs of
 * Groovy, Pig and Hive make class loaders below the given one.
 *
 * <p>Thread contract: stateless.
 */
public final class SlotOwners {
  private SlotOwners() {}

  /** The slot that a class loader is or is below, or null. */
  static SlotLoader of(ClassLoader loader) {
    ClassLoader each = loader;
    while (each != null && !(each instanceof SlotLoader)) {
      each = each.getParent();
    }
    return (SlotLoader) each;
  }

  /** The slot of the current thread, by its context class loader, or null. */
  static SlotLoader ofThread() {
    return of(Thread.currentThread().getContextClassLoader());
  }

  /** Whether the class loader of a class is one of these, or is below one. */
  static boolean have(Set<? extends ClassLoader> loaders, Class<?> of) {
    ClassLoader each = of.getClassLoader();
    while (each != null && !loaders.contains(each)) {
      each = each.getParent();
    }
    return each != null;
  }

  /** The same for the class of an object; false for null. */
  public static boolean haveMade(Set<? extends ClassLoader> loaders, Object registered) {
    return registered != null && have(loaders, registered.getClass());
  }
}
