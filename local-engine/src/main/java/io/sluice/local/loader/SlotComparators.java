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
  private volatile WritableComparator before;

  /** A class loader with comparators of its own. */
  interface Slot {
    /** What its classes have registered for keys that are not its own. */
    Map<Class<?>, WritableComparator> comparators();
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
    ClassLoader caller = CALLER.getCallerClass().getClassLoader();
    if (!(caller instanceof Slot slot) || key.getClassLoader() == caller) {
      WritableComparator.define(key, comparator);
      return;
    }
    slot.comparators().put(key, comparator);
    @SuppressWarnings("unchecked")
    Class<? extends WritableComparable> shared = key;
    synchronized (SlotComparators.class) {
      WritableComparator before = WritableComparator.get(shared);
      SlotComparators now =
          before instanceof SlotComparators there ? there : new SlotComparators(shared, before);
      now.slots.add(caller);
      WritableComparator.define(shared, now);
    }
  }

  /**
   * What is to be registered for a key when these class loaders are gone. The caller holds the
   * class's lock.
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
    return loaders.contains(registered.getClass().getClassLoader())
        ? ofHadoop(key, null)
        : registered;
  }

  /**
   * What tasks with these settings compare keys with: what their slot has registered, or the key's
   * own class, but nothing that the client or another job has registered for a key of Hadoop's.
   * Where no class is isolated, it is what is registered.
   */
  public static WritableComparator of(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    WritableComparator found = WritableComparator.get(key, conf);
    if (found instanceof SlotComparators shared) {
      found = shared.before;
    }
    ClassLoader loader = conf.getClassLoader();
    if (loader instanceof Slot slot) {
      WritableComparator own = slot.comparators().get(key);
      found = own == null && isForeign(found, key, loader) ? ofHadoop(key, conf) : found;
      found = own == null ? found : own;
    }
    ReflectionUtils.setConf(found, conf);
    return found;
  }

  /** Whether neither the slot's classes nor the key's nor Hadoop's have registered it. */
  private static boolean isForeign(WritableComparator registered, Class<?> key, ClassLoader slot) {
    ClassLoader its = registered.getClass().getClassLoader();
    return its != slot
        && its != key.getClassLoader()
        && its != WritableComparator.class.getClassLoader();
  }

  /** That which a class of Hadoop's registers for itself: by its name, as nothing else tells. */
  private static WritableComparator ofHadoop(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> key, Configuration conf) {
    try {
      Class<?> named = Class.forName(key.getName() + "$Comparator", true, key.getClassLoader());
      return (WritableComparator) named.getConstructor().newInstance();
    } catch (ReflectiveOperationException | ClassCastException e) {
      return new WritableComparator(key, conf, true) {}; // by compareTo, as Hadoop's without one
    }
  }

  private WritableComparator current() {
    ClassLoader loader = Thread.currentThread().getContextClassLoader();
    if (loader instanceof Slot slot) {
      WritableComparator own = slot.comparators().get(getKeyClass());
      if (own != null) {
        return own;
      }
      if (isForeign(before, getKeyClass(), loader)) {
        return ofHadoop(getKeyClass(), getConf());
      }
    }
    return before;
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
