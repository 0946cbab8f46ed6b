package io.sluice.local.loader;

import java.lang.reflect.Field;
import java.util.HashMap;
import java.util.Map;
import org.apache.hadoop.io.WritableName;

/**
 * Hadoop's static map from the names that classes give themselves ({@link WritableName}) to the
 * classes, with which files of older names are read. What a class of a slot has registered is found
 * by that slot's threads alone, which are told by their context class loaders. Of what others have
 * registered a slot gets its own class.
 *
 * <p>Thread contract: Hadoop guards it by its class.
 */
final class WritableNames extends HashMap<String, Class<?>> {
  private static final long serialVersionUID = 1;

  /** A class loader with names of its own. */
  interface Slot {
    /** What its classes have registered. */
    Map<String, Class<?>> writableNames();
  }

  private WritableNames(Map<String, Class<?>> before) {
    super(before);
  }

  /** Takes the place of Hadoop's map. */
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
      throw new IllegalStateException("this release of Hadoop keeps names of classes elsewhere", e);
    }
  }

  @Override
  public Class<?> put(String name, Class<?> named) {
    Slot slot = SlotOwners.of(named.getClassLoader(), Slot.class);
    return slot == null ? super.put(name, named) : slot.writableNames().put(name, named);
  }

  @Override
  public Class<?> get(Object name) {
    Slot slot = SlotOwners.ofThread(Slot.class);
    if (slot == null) {
      return super.get(name);
    }
    Class<?> own = slot.writableNames().get(name);
    Class<?> others = own == null ? super.get(name) : null;
    try {
      return others == null ? own : ((ClassLoader) slot).loadClass(others.getName());
    } catch (ClassNotFoundException e) {
      return null; // it is of another job
    }
  }
}
