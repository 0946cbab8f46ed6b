package io.sluice.local.loader;

import java.lang.StackWalker.Option;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableFactories;
import org.apache.hadoop.io.WritableFactory;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Factories that a slot's classes register with {@code WritableFactories.setFactory} for a class of
 * another loader. While a job has such slots, this object is in Hadoop's registry. It makes objects
 * as the slot of the current thread has registered; the thread's context class loader tells the
 * slot. For other threads nothing changes.
 *
 * <p>Thread contract: safe from any thread; this class guards changes of Hadoop's registry.
 */
public final class SlotFactories implements WritableFactory {
  private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  private final Class<? extends Writable> made;
  private final Set<ClassLoader> slots = new HashSet<>(); // guarded by the class
  private volatile WritableFactory before; // null if Hadoop calls the constructor

  private SlotFactories(Class<? extends Writable> made, WritableFactory before) {
    this.made = made;
    this.before = before;
  }

  /** Replaces {@link WritableFactories#setFactory}. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // as it is declared
  public static void setFactory(Class made, WritableFactory factory) {
    SlotLoader slot = SlotOwners.of(CALLER.getCallerClass().getClassLoader());
    if (slot == null) { // a library calls it for a class of the slot
      slot = SlotOwners.of(factory.getClass().getClassLoader());
    }
    if (slot == null || SlotOwners.of(made.getClassLoader()) == slot) {
      WritableFactories.setFactory(made, factory);
      return;
    }
    slot.factories().put(made, factory);
    synchronized (SlotFactories.class) {
      WritableFactory before = WritableFactories.getFactory(made);
      SlotFactories now =
          before instanceof SlotFactories there ? there : new SlotFactories(made, before);
      now.slots.add(slot);
      WritableFactories.setFactory(made, now);
    }
  }

  /**
   * The factory to register after these class loaders have ended, or null. The caller holds the
   * class's lock.
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
    SlotLoader slot = SlotOwners.ofThread();
    WritableFactory own = slot == null ? null : slot.factories().get(made);
    WritableFactory current = own == null ? before : own;
    return current == null ? ReflectionUtils.newInstance(made, null) : current.newInstance();
  }
}
