package io.sluice.local.conf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparators of tasks, for keys that register theirs in all sorts of ways. */
@Timeout(300)
class TaskConfTest {
  private static final List<Function<JobConf, RawComparator<?>>> ASKED =
      List.of(
          JobConf::getOutputKeyComparator,
          JobConf::getOutputValueGroupingComparator,
          JobConf::getCombinerKeyGroupingComparator);

  /** A number. */
  abstract static class Key implements WritableComparable<Key> {
    private int number;

    @Override
    public void write(DataOutput out) throws IOException {
      out.writeInt(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      number = in.readInt();
    }

    @Override
    public int compareTo(Key other) {
      return Integer.compare(number, other.number);
    }
  }

  /** Registers a comparator of a public class. */
  static class Public extends Key {
    static {
      WritableComparator.define(Public.class, new Order());
    }

    /** With state of its own. */
    public static class Order extends WritableComparator {
      private int one;

      /** The only one. */
      public Order() {
        super(Public.class);
      }

      @Override
      public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
        one = readInt(a, aOff);
        return Integer.compare(one, readInt(b, bOff));
      }
    }
  }

  /** Registers one of a private class, with the state that Hadoop's class has. */
  static class Private extends Key {
    static {
      WritableComparator.define(Private.class, new Order());
    }

    private static final class Order extends WritableComparator {
      private final byte[] buffer = new byte[Integer.BYTES];

      Order() {
        super(Private.class, true);
      }

      @Override
      public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
        System.arraycopy(a, aOff, buffer, 0, buffer.length);
        return super.compare(buffer, 0, aLen, b, bOff, bLen);
      }
    }
  }

  /** Registers the one that Hadoop would make. */
  static class Generic extends Key {
    static {
      WritableComparator.define(Generic.class, WritableComparator.get(Generic.class));
    }
  }

  /** Registers none. */
  static class Plain extends Key {}

  /** Registers one of a class that has no name, and so a constructor with parameters. */
  static class Anonymous extends Key {
    static {
      WritableComparator.define(Anonymous.class, new WritableComparator(Anonymous.class, true) {});
    }
  }

  /** Registers one that is set to another order than a new one. */
  static class Set extends Key {
    static {
      Order order = new Order();
      order.descends = true;
      WritableComparator.define(Set.class, order);
    }

    private static final class Order extends WritableComparator {
      private boolean descends;

      Order() {
        super(Set.class, true);
      }

      @Override
      @SuppressWarnings("rawtypes")
      public int compare(WritableComparable a, WritableComparable b) {
        return descends ? super.compare(b, a) : super.compare(a, b);
      }
    }
  }

  /** Registers one whose class may be made in several ways. */
  static class Several extends Key {
    static {
      WritableComparator.define(Several.class, new Order(true));
    }

    private static final class Order extends WritableComparator {
      private final List<Boolean> descends;

      @SuppressWarnings("unused") // is not how it was made
      Order() {
        this(false);
      }

      Order(boolean descends) {
        super(Several.class, true);
        this.descends = List.of(descends);
      }

      @Override
      @SuppressWarnings("rawtypes")
      public int compare(WritableComparable a, WritableComparable b) {
        return descends.get(0) ? super.compare(b, a) : super.compare(a, b);
      }
    }
  }

  /** Registers one to which something was added after it was made. */
  static class Added extends Key {
    static {
      Order order = new Order();
      order.descending.add(Added.class);
      WritableComparator.define(Added.class, order);
    }

    private static final class Order extends WritableComparator {
      private final List<Class<?>> descending = new ArrayList<>();

      Order() {
        super(Added.class, true);
      }

      @Override
      @SuppressWarnings("rawtypes")
      public int compare(WritableComparable a, WritableComparable b) {
        return descending.contains(a.getClass()) ? super.compare(b, a) : super.compare(a, b);
      }
    }
  }

  /** Registers one that holds an object without {@code equals}, which was set to another order. */
  static class Within extends Key {
    static {
      Order order = new Order();
      order.inner.sign = -1;
      WritableComparator.define(Within.class, order);
    }

    private static final class Inner {
      private int sign = 1;
    }

    private static final class Order extends WritableComparator {
      private final Inner inner = new Inner();

      Order() {
        super(Within.class, true);
      }

      @Override
      @SuppressWarnings("rawtypes")
      public int compare(WritableComparable a, WritableComparable b) {
        return inner.sign * super.compare(a, b);
      }
    }
  }

  private static JobConf task(Class<?> keyClass) {
    JobConf job = new JobConf(false);
    job.setMapOutputKeyClass(keyClass);
    return new TaskConf(job);
  }

  @ParameterizedTest
  @ValueSource(
      classes = {
        Public.class,
        Private.class,
        Generic.class,
        Plain.class,
        Text.class,
        IntWritable.class,
        LongWritable.class
      })
  @SuppressWarnings("unchecked")
  void eachTaskHasItsOwnOfTheClassThatIsRegistered(Class<?> keyClass) {
    RawComparator<?> registered = new JobConf(task(keyClass)).getOutputKeyComparator();
    for (Function<JobConf, RawComparator<?>> ask : ASKED) {
      RawComparator<?> one = ask.apply(task(keyClass));
      RawComparator<?> other = ask.apply(task(keyClass));
      assertNotSame(one, other);
      assertNotSame(registered, one);
      assertNotSame(registered, other);
      assertSame(registered.getClass(), one.getClass());
      assertSame(keyClass, ((WritableComparator) one).getKeyClass());
    }
  }

  private static byte[] bytes(int number) {
    return new byte[] {0, 0, 0, (byte) number};
  }

  private static int compare(RawComparator<?> comparator, int one, int other) {
    return comparator.compare(bytes(one), 0, Integer.BYTES, bytes(other), 0, Integer.BYTES);
  }

  @ParameterizedTest
  @ValueSource(classes = {Public.class, Private.class, Generic.class, Plain.class, Anonymous.class})
  void itOrdersAsTheRegisteredOne(Class<?> keyClass) {
    RawComparator<?> comparator = task(keyClass).getOutputKeyComparator();
    assertTrue(compare(comparator, 1, 2) < 0);
    assertEquals(0, compare(comparator, 2, 2));
  }

  @ParameterizedTest
  @ValueSource(classes = {Set.class, Several.class, Added.class, Within.class})
  void oneThatIsNotAsANewOneWouldBeStaysAsItIs(Class<?> keyClass) {
    assertTrue(compare(task(keyClass).getOutputKeyComparator(), 1, 2) > 0);
  }

  @Test
  void aComparatorThatTheJobNamesIsMadeForEachWhoAsks() {
    JobConf task = task(Text.class);
    task.setOutputKeyComparatorClass(LongWritable.DecreasingComparator.class);
    for (Function<JobConf, RawComparator<?>> ask : ASKED) {
      assertSame(LongWritable.DecreasingComparator.class, ask.apply(task).getClass());
      assertNotSame(ask.apply(task), ask.apply(task));
    }
  }

  /** Registers one that does not return while the test holds it, with the settings it has then. */
  static class Held extends Key {
    private static final CountDownLatch ENTERED = new CountDownLatch(1);
    private static final CountDownLatch LEAVES = new CountDownLatch(1);
    private static final AtomicInteger INSIDE = new AtomicInteger();

    static {
      WritableComparator.define(
          Held.class,
          new WritableComparator(Held.class, true) {
            private Configuration used;

            @Override
            public void setConf(Configuration conf) {
              super.setConf(conf);
              used = conf;
            }

            @Override
            public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
              INSIDE.incrementAndGet();
              ENTERED.countDown();
              try {
                LEAVES.await();
              } catch (InterruptedException e) {
                throw new IllegalStateException(e);
              }
              return used.getInt("answer", 0);
            }
          });
    }
  }

  private static JobConf answering(int answer) {
    JobConf task = task(Held.class);
    task.setInt("answer", answer);
    return task;
  }

  @Test
  void oneThatCannotBeMadeAnewIsUsedInTurnsWithTheSettingsOfItsUser() throws Exception {
    RawComparator<?> first = answering(1).getOutputKeyComparator();
    FutureTask<Integer> one = new FutureTask<>(() -> compare(first, 1, 2));
    new Thread(one, "first").start();
    Held.ENTERED.await();
    FutureTask<Integer> other =
        new FutureTask<>(() -> compare(answering(2).getOutputKeyComparator(), 1, 2));
    Thread second = new Thread(other, "second");
    second.start();
    while (second.getState() != Thread.State.BLOCKED) {
      assertTrue(Held.INSIDE.get() == 1, "the second did not wait for its turn");
      assertFalse(Thread.interrupted(), "the second neither compares nor waits");
      Thread.onSpinWait();
    }
    Held.LEAVES.countDown();
    assertEquals(1, one.get());
    assertEquals(2, other.get());
    assertEquals(1, compare(first, 1, 2));
  }
}
