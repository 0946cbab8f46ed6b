package io.sluice.local.conf;

import io.sluice.local.loader.SlotComparators;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes comparators that one task alone uses, in the place of those that key classes register for
 * the whole process with {@code WritableComparator.define}, or for their slot ({@link
 * SlotComparators}).
 *
 * <p>A registered comparator is made anew by its class's only constructor, if that has no
 * parameters and makes one whose fields are equal by {@code equals}; an object that has no {@code
 * equals} may hold something that a new one has not. One that cannot be made anew stays shared, and
 * tasks take turns at each comparison.
 *
 * <p>Thread contract: safe from any thread; what it gives is for one at a time.
 */
final class TaskComparators {
  private static final Logger LOG = LoggerFactory.getLogger(TaskComparators.class);

  /** Held while a shared comparator compares or is given other settings. */
  private static final Object TURN = new Object();

  private TaskComparators() {}

  /** For keys of a class, in a task with these settings. */
  static WritableComparator of(
      @SuppressWarnings("rawtypes") Class<? extends WritableComparable> keyClass,
      Configuration conf) {
    WritableComparator found;
    synchronized (TURN) {
      found = SlotComparators.of(keyClass, conf);
      if (found != SlotComparators.of(keyClass, conf)) {
        return found; // none is registered: Hadoop makes one for each who asks
      }
    }
    try {
      WritableComparator own = again(found, conf);
      if (own != null && isEqual(found, own)) {
        return own;
      }
    } catch (ReflectiveOperationException | RuntimeException e) {
      LOG.debug("{} cannot be made anew", found.getClass().getName(), e);
    }
    LOG.info(
        "Tasks take turns to compare keys of {}: its comparator {} cannot be made anew for each",
        keyClass.getName(),
        found.getClass().getName());
    return new Shared(found, conf);
  }

  /** Null where it is not known how it was made. */
  private static WritableComparator again(WritableComparator registered, Configuration conf)
      throws ReflectiveOperationException {
    Class<?> of = registered.getClass();
    if (of == WritableComparator.class) { // what Hadoop makes where none is registered
      Constructor<?> generic =
          of.getDeclaredConstructor(Class.class, Configuration.class, boolean.class);
      generic.setAccessible(true);
      return (WritableComparator) generic.newInstance(registered.getKeyClass(), conf, true);
    }
    Constructor<?>[] all = of.getDeclaredConstructors();
    if (all.length != 1 || all[0].getParameterCount() > 0) {
      return null;
    }
    all[0].setAccessible(true);
    WritableComparator own = (WritableComparator) all[0].newInstance();
    ReflectionUtils.setConf(own, conf);
    return own;
  }

  /** Whether nothing was set in the one that a new one has not. */
  private static boolean isEqual(WritableComparator registered, WritableComparator own)
      throws IllegalAccessException {
    for (Class<?> of = own.getClass(); of != Object.class; of = of.getSuperclass()) {
      for (Field field : of.getDeclaredFields()) {
        if (!Modifier.isStatic(field.getModifiers())) {
          field.setAccessible(true);
          if (!isEqual(field, field.get(registered), field.get(own))) {
            return false;
          }
        }
      }
    }
    return true;
  }

  /** What a comparison reads into, and its settings, may differ; nothing else. */
  private static boolean isEqual(Field field, Object one, Object other) {
    boolean mayDiffer =
        field.getDeclaringClass() == WritableComparator.class && field.getType() != Class.class
            || one instanceof DataInputBuffer
            || one instanceof Configuration;
    return mayDiffer && one != null && other != null
        ? one.getClass() == other.getClass()
        : Objects.deepEquals(one, other);
  }

  /** One that others use, too. */
  private static final class Shared extends WritableComparator {
    private final WritableComparator real;
    private final Configuration conf;

    Shared(WritableComparator real, Configuration conf) {
      super(real.getKeyClass(), conf, false);
      this.real = real;
      this.conf = conf;
    }

    /** Whoever was before may have other settings. */
    private WritableComparator mine() {
      if (real.getConf() != conf) {
        ReflectionUtils.setConf(real, conf);
      }
      return real;
    }

    @Override
    @SuppressWarnings("rawtypes")
    public WritableComparable newKey() {
      synchronized (TURN) {
        return mine().newKey();
      }
    }

    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      synchronized (TURN) {
        return mine().compare(a, aOff, aLen, b, bOff, bLen);
      }
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable a, WritableComparable b) {
      synchronized (TURN) {
        return mine().compare(a, b);
      }
    }

    @Override
    public int compare(Object a, Object b) {
      synchronized (TURN) {
        return mine().compare(a, b);
      }
    }
  }
}
