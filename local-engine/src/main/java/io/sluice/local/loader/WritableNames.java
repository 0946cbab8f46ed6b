package io.sluice.local.loader;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.WritableName;

/**
 * Replaces Hadoop's static map from registered names to classes ({@link WritableName}), with which
 * files with older names are read. Only threads of the same slot, by their context class loaders,
 * find a name that a class of a slot has registered. For names that others have registered, a slot
 * gets its own copy of the class.
 *
 * <p>Thread contract: guarded by the lock of Hadoop's class.
 */
final class WritableNames extends HashMap<String, Class<?>> {
  private static final long serialVersionUID = 1;

  private WritableNames(Map<String, Class<?>> before) {
    super(before);
  }

  /** Replaces Hadoop's map. */
  static void install() {
    try {
      Field map = WritableName.class.getDeclaredField("NAME_TO_CLASS");
      map.setAccessible(true);
      synchronized (WritableName.class) {
        @SuppressWarnings("unchecked")
        Map<String, Class<?>> before = (Map<String, Class<?>>) map.get(null);
        map.set(null, new WritableNames(before));
      }
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException(
          "this release of Hadoop has no WritableName.NAME_TO_CLASS", e);
    }
  }

  @Override
  public Class<?> put(String name, Class<?> named) {
    SlotLoader slot = SlotOwners.of(named.getClassLoader());
    return slot == null ? super.put(name, named) : slot.writableNames().put(name, named);
  }

  @Override
  public Class<?> get(Object name) {
    SlotLoader slot = SlotOwners.ofThread();
    if (slot == null) {
      return super.get(name);
    }
    Class<?> own = slot.writableNames().get(name);
    Class<?> others = own == null ? super.get(name) : null;
    try {
      return others == null ? own : (slot).loadClass(others.getName());
    } catch (ClassNotFoundException e) {
      return null; // a class of another job
    }
  }
}
