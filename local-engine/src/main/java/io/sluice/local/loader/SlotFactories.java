package io.sluice.local.loader;

import java.lang.StackWalker.Option;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableFactories;
import org.apache.hadoop.io.WritableFactory;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Factories that slots' classes register with {@code WritableFactories.setFactory} for a class that
 * is not their own. While a job has such slots this stands in Hadoop's registry, and makes an
 * object as the slot of the current thread says, which its context class loader tells; for any
 * other thread as before.
 *
 * <p>Thread contract: safe from any thread; changes of Hadoop's registry are guarded by this class.
 */
public final class SlotFactories implements WritableFactory {
  private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  private final Class<? extends Writable> made;
  private final Set<ClassLoader> slots = new HashSet<>(); // guarded by the class
  private volatile WritableFactory before; // null: Hadoop makes it by its constructor

  /** A class loader with factories of its own. */
  interface Slot {
    /** What its classes have registered for classes that are not its own. */
    Map<Class<?>, WritableFactory> factories();
  }

  private SlotFactories(Class<? extends Writable> made, WritableFactory before) {
    this.made = made;
    this.before = before;
  }

  /** In place of {@link WritableFactories#setFactory}. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // as it is declared
  public static void setFactory(Class made, WritableFactory factory) {
    Slot slot = SlotOwners.of(CALLER.getCallerClass().getClassLoader(), Slot.class);
    if (slot == null) { // called for a class of the slot, as by a collection
      slot = SlotOwners.of(factory.getClass().getClassLoader(), Slot.class);
    }
    if (slot == null || SlotOwners.of(made.getClassLoader(), Slot.class) == slot) {
      WritableFactories.setFactory(made, factory);
      return;
    }
    slot.factories().put(made, factory);
    synchronized (SlotFactories.class) {
      WritableFactory before = WritableFactories.getFactory(made);
      SlotFactories now =
          before instanceof SlotFactories there ? there : new SlotFactories(made, before);
      now.slots.add((ClassLoader) slot);
      WritableFactories.setFactory(made, now);
    }
  }

  /**
   * What is to be registered when these class loaders are gone; null for nothing. The caller holds
   * the class's lock.
   */
  static WritableFactory without(Set<? extends ClassLoader> loaders, WritableFactory registered) {
    if (registered instanceof SlotFactories shared) {
      shared.before = without(loaders, shared.before);
      shared.slots.removeAll(loaders);
      return shared.slots.isEmpty() ? shared.before : shared;
    }
    return SlotOwners.haveMade(loaders, registered) ? null : registered;
  }

  @Override
  public Writable newInstance() {
    Slot slot = SlotOwners.ofThread(Slot.class);
    WritableFactory own = slot == null ? null : slot.factories().get(made);
    WritableFactory current = own == null ? before : own;
    return current == null ? ReflectionUtils.newInstance(made, null) : current.newInstance();
  }
}
