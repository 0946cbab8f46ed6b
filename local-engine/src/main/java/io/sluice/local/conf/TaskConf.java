package io.sluice.local.conf;

import io.sluice.local.loader.SlotComparators;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Objects;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.ReflectionUtils;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The settings of one task, or of one sort buffer. No other task uses the comparators that it
 * returns.
 *
 * <p>Hadoop keeps one comparator for each key class that registers one, and {@link JobConf} returns
 * it to all tasks of a process. Many comparators have state, as {@code WritableComparator} itself
 * does, so two tasks that sort at a time would corrupt each other's order. For a comparator class
 * that a job names, Hadoop makes a new object for each caller.
 *
 * <p>Thread contract: that of a configuration.
 */
public class TaskConf extends JobConf {
  /** A copy of a job's settings. */
  public TaskConf(JobConf job) {
    super(job);
  }

  @Override
  @SuppressWarnings("rawtypes") // as it is declared
  public RawComparator getOutputKeyComparator() {
    return get(MRJobConfig.KEY_COMPARATOR) == null
        ? TaskComparators.of(getMapOutputKeyClass().asSubclass(WritableComparable.class), this)
        : super.getOutputKeyComparator();
  }

  /**
   * Makes a comparator that only one task uses, instead of the one that a key class registers for
   * the process with {@code WritableComparator.define}, or for its slot ({@link SlotComparators}).
   *
   * <p>A registered comparator is copied by the only constructor of its class, if that has no
   * parameters and all fields of the new object are equal by {@code equals}. A comparator that
   * cannot be copied stays shared, and each comparison takes a lock.
   *
   * <p>Thread contract: safe from any thread; a comparator is for one thread at a time.
   */
  private static final class TaskComparators {
    private static final Logger LOG = LoggerFactory.getLogger(TaskComparators.class);

    /** Held while a shared comparator compares or gets other settings. */
    private static final Object TURN = new Object();

    private TaskComparators() {}

    /** The comparator for keys of a class, in a task with these settings. */
    static WritableComparator of(
        @SuppressWarnings("rawtypes") Class<? extends WritableComparable> keyClass,
        Configuration conf) {
      WritableComparator found;
      synchronized (TURN) {
        found = SlotComparators.of(keyClass, conf);
        if (found != SlotComparators.of(keyClass, conf)) {
          return found; // none is registered, so Hadoop makes one for each caller
        }
      }
      try {
        WritableComparator own = again(found, conf);
        if (own != null && isEqual(found, own)) {
          return own;
        }
      } catch (ReflectiveOperationException | RuntimeException e) {
        LOG.debug("{} cannot be copied", found.getClass().getName(), e);
      }
      LOG.info(
          "Tasks share one comparator for keys of {}, and compare one at a time: {} cannot be"
              + " copied for each task",
          keyClass.getName(),
          found.getClass().getName());
      return new Shared(found, conf);
    }

    /** Makes a new comparator of the same class; null if its constructor is not known. */
    private static WritableComparator again(WritableComparator registered, Configuration conf)
        throws ReflectiveOperationException {
      Class<?> of = registered.getClass();
      if (of == WritableComparator.class) { // Hadoop's own for key classes that register none
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

    /** Whether all fields of both are equal. */
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

    /** Buffers for a comparison, and settings, may differ; all else must be equal. */
    private static boolean isEqual(Field field, Object one, Object other) {
      boolean mayDiffer =
          field.getDeclaringClass() == WritableComparator.class && field.getType() != Class.class
              || one instanceof DataInputBuffer
              || one instanceof Configuration;
      return mayDiffer && one != null && other != null
          ? one.getClass() == other.getClass()
          : Objects.deepEquals(one, other);
    }

    /** A comparator that other tasks use too. */
    private static final class Shared extends WritableComparator {
      private final WritableComparator real;
      private final Configuration conf;

      Shared(WritableComparator real, Configuration conf) {
        super(real.getKeyClass(), conf, false);
        this.real = real;
        this.conf = conf;
      }

      /** Sets this task's settings, because the previous task may have other ones. */
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
}
