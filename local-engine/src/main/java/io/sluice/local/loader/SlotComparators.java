package io.sluice.local.loader;

import java.lang.StackWalker.Option;
import java.util.HashSet;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Comparators that a slot's classes register with {@code WritableComparator.define} for a key class
 * of another loader, such as Hadoop's {@code Text}. On a cluster that changes the order in one
 * task's process; here it changes the order of the slot's tasks. While a job has such slots, this
 * object is in Hadoop's registry. It compares as the slot of the current thread has registered; the
 * thread's context class loader tells the slot. For other threads nothing changes.
 *
 * <p>Thread contract: that of the comparators that it calls; this class guards changes of Hadoop's
 * registry.
 */
public final class SlotComparators extends WritableComparator {
  private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  private final Set<ClassLoader> slots = new HashSet<>(); // guarded by the class
  private volatile WritableComparator before; // or null

  /** Makes the comparator of a task with these settings. */
  @FunctionalInterface
  interface Order {
    WritableComparator of(Configuration conf);
  }

  private SlotComparators(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key,
      WritableComparator before) {
    super(key);
    this.before = before;
  }

  /** Replaces {@link WritableComparator#define}. */
  @SuppressWarnings("rawtypes") // as it is declared
  public static void define(Class key, WritableComparator comparator) {
    SlotLoader slot = SlotOwners.of(CALLER.getCallerClass().getClassLoader());
    if (slot == null) { // a library calls it for a class of the slot
      slot = SlotOwners.of(comparator.getClass().getClassLoader());
    }
    if (slot == null || SlotOwners.of(key.getClassLoader()) == slot) {
      WritableComparator.define(key, comparator);
      return;
    }
    slot.comparators().put(key, comparator);
    @SuppressWarnings("unchecked")
    Class<? extends WritableComparable> shared = key;
    synchronized (SlotComparators.class) {
      WritableComparator before = registered(shared, null);
      SlotComparators now =
          before instanceof SlotComparators there ? there : new SlotComparators(shared, before);
      now.slots.add(slot);
      WritableComparator.define(shared, now);
    }
  }

  /** The registered comparator; null if none, because Hadoop then makes one for each caller. */
  private static WritableComparator registered(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    WritableComparator found = WritableComparator.get(key, conf);
    return found == WritableComparator.get(key, conf) ? found : null;
  }

  /**
   * The comparator to register for a key after these class loaders have ended, or null. The caller
   * holds the class's lock.
   */
  static WritableComparator without(
      Set<? extends ClassLoader> loaders,
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key,
      WritableComparator registered) {
    if (registered instanceof SlotComparators shared) {
      shared.before = without(loaders, key, shared.before);
      shared.slots.removeAll(loaders);
      return shared.slots.isEmpty() ? shared.before : shared;
    }
    return SlotOwners.haveMade(loaders, registered) ? ofHadoop(key, null) : registered;
  }

  /**
   * The comparator for tasks with these settings: the one that their slot or the key's class has
   * registered. A comparator that the client or another job has registered for a key of Hadoop is
   * not used. The comparator of the slot's first task stays, because on a cluster, too, a later
   * registration does not change a running task. Without isolation it is the registered comparator.
   *
   * @return a shared comparator if one is registered, else a new one
   */
  public static WritableComparator of(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    SlotLoader slot = SlotOwners.of(conf.getClassLoader());
    if (slot == null) {
      WritableComparator found = WritableComparator.get(key, conf);
      return found instanceof SlotComparators shared && shared.before != null
          ? withSettings(shared.before, conf)
          : found;
    }
    Order order = slot.orders().get(key);
    if (order == null) {
      order = orderOf(key, slot, conf);
      Order first = slot.orders().putIfAbsent(key, order);
      order = first == null ? order : first;
    }
    return order.of(conf);
  }

  private static Order orderOf(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key,
      SlotLoader slot,
      Configuration conf) {
    WritableComparator registered = registered(key, conf); // initializes the key's class
    WritableComparator own = slot.comparators().get(key);
    WritableComparator found =
        own == null && registered instanceof SlotComparators shared ? shared.before : registered;
    WritableComparator kept = own == null ? found : own;
    if (kept == null) {
      return its -> generic(key, its);
    }
    return own == null && isForeign(kept, key, slot)
        ? its -> ofHadoop(key, its)
        : its -> withSettings(kept, its);
  }

  private static WritableComparator withSettings(WritableComparator shared, Configuration conf) {
    ReflectionUtils.setConf(shared, conf);
    return shared;
  }

  /**
   * Whether another party has registered it: not the key's classes, not Hadoop, and no slot of the
   * same job.
   */
  private static boolean isForeign(WritableComparator registered, Class<?> key, SlotLoader slot) {
    ClassLoader its = registered.getClass().getClassLoader();
    SlotLoader by = SlotOwners.of(its);
    if (by != null) { // registered past this class, for example by reflection
      return by.getParent() != slot.getParent();
    }
    return its == WritableComparator.class.getClassLoader()
        ? !SharedNames.has(registered.getClass().getName())
        : its != key.getClassLoader();
  }

  /** The comparator that a class of Hadoop registers for itself, found by its name. */
  private static WritableComparator ofHadoop(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    try {
      Class<?> named = Class.forName(key.getName() + "$Comparator", true, key.getClassLoader());
      return (WritableComparator) named.getConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      return generic(key, conf);
    }
  }

  /** A comparator that calls {@code compareTo}. */
  private static WritableComparator generic(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    return new WritableComparator(key, conf, true) {};
  }

  private WritableComparator current() {
    SlotLoader slot = SlotOwners.ofThread();
    WritableComparator own = slot == null ? null : slot.comparators().get(getKeyClass());
    if (own != null) {
      return own;
    }
    WritableComparator registered = before;
    if (registered == null) {
      return generic(getKeyClass(), getConf());
    }
    return slot != null && isForeign(registered, getKeyClass(), slot)
        ? ofHadoop(getKeyClass(), getConf())
        : registered;
  }

  @Override
  public void setConf(Configuration conf) {
    super.setConf(conf);
    ReflectionUtils.setConf(current(), conf);
  }

  @Override
  @SuppressWarnings("rawtypes")
  public WritableComparable newKey() {
    return current().newKey();
  }

  @Override
  public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
    return current().compare(a, aOff, aLen, b, bOff, bLen);
  }

  @Override
  @SuppressWarnings({"rawtypes", "unchecked"})
  public int compare(WritableComparable a, WritableComparable b) {
    return current().compare(a, b);
  }

  @Override
  public int compare(Object a, Object b) {
    return current().compare(a, b);
  }
}
