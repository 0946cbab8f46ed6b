package io.sluice.local.loader;

import java.lang.StackWalker.Option;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.ReflectionUtils;

/**
 * Comparators that slots' classes register with {@code WritableComparator.define} for a key that is
 * not their own: one of Hadoop's, {@code Text} say. On a cluster that changes the order of one
 * task's process; here of the slot's tasks. While a job has such slots this stands in Hadoop's
 * registry, and compares as the slot of the current thread says, which its context class loader
 * tells; for any other thread as before.
 *
 * <p>Thread contract: that of the comparators that it stands for; changes of Hadoop's registry are
 * guarded by this class.
 */
public final class SlotComparators extends WritableComparator {
  private static final StackWalker CALLER = StackWalker.getInstance(Option.RETAIN_CLASS_REFERENCE);

  private final Set<ClassLoader> slots = new HashSet<>(); // guarded by the class
  private volatile WritableComparator before; // null: none

  /** A class loader with comparators of its own. */
  interface Slot {
    /** What its classes have registered for keys that are not its own. */
    Map<Class<?>, WritableComparator> comparators();

    /** What its tasks have sorted by so far, which stays for those that follow. */
    Map<Class<?>, Order> orders();
  }

  /** Gives a comparator for a task with these settings. */
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

  /** In place of {@link WritableComparator#define}. */
  @SuppressWarnings("rawtypes") // as it is declared
  public static void define(Class key, WritableComparator comparator) {
    Slot slot = SlotOwners.of(CALLER.getCallerClass().getClassLoader(), Slot.class);
    if (slot == null) { // called for a class of the slot, as by a collection
      slot = SlotOwners.of(comparator.getClass().getClassLoader(), Slot.class);
    }
    if (slot == null || SlotOwners.of(key.getClassLoader(), Slot.class) == slot) {
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
      now.slots.add((ClassLoader) slot);
      WritableComparator.define(shared, now);
    }
  }

  /** Null if none is: Hadoop makes one for each who asks. */
  private static WritableComparator registered(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    WritableComparator found = WritableComparator.get(key, conf);
    return found == WritableComparator.get(key, conf) ? found : null;
  }

  /**
   * What is to be registered for a key when these class loaders are gone, null for nothing. The
   * caller holds the class's lock.
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
   * What tasks with these settings compare keys with: what their slot has registered, or the key's
   * own class, but nothing that the client or another job has registered for a key of Hadoop's. It
   * is what the slot's first task has found: on a cluster, too, a program that registers another
   * when its task has begun to collect changes no order. Where no class is isolated, it is what is
   * registered.
   *
   * @return one that others have, too, if it is registered, else a new one
   */
  public static WritableComparator of(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    Slot slot = SlotOwners.of(conf.getClassLoader(), Slot.class);
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
      Slot slot,
      Configuration conf) {
    WritableComparator registered = registered(key, conf); // which initializes the key's class
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
   * Whether neither the key's classes nor Hadoop's nor those of a slot of the same job have
   * registered it.
   */
  private static boolean isForeign(WritableComparator registered, Class<?> key, Slot slot) {
    ClassLoader its = registered.getClass().getClassLoader();
    Slot by = SlotOwners.of(its, Slot.class);
    if (by != null) { // past this class, by reflection say
      return ((ClassLoader) by).getParent() != ((ClassLoader) slot).getParent();
    }
    return its == WritableComparator.class.getClassLoader()
        ? !SharedNames.has(registered.getClass().getName())
        : its != key.getClassLoader();
  }

  /** That which a class of Hadoop's registers for itself: by its name, as nothing else tells. */
  private static WritableComparator ofHadoop(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    try {
      Class<?> named = Class.forName(key.getName() + "$Comparator", true, key.getClassLoader());
      return (WritableComparator) named.getConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      return generic(key, conf);
    }
  }

  /** By {@code compareTo}. */
  private static WritableComparator generic(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    return new WritableComparator(key, conf, true) {};
  }

  private WritableComparator current() {
    Slot slot = SlotOwners.ofThread(Slot.class);
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
