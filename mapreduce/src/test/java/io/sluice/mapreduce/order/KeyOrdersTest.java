package io.sluice.mapreduce.order;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.order.KeyOrders.BytesWritableOrder;
import io.sluice.mapreduce.order.KeyOrders.ComparatorOrder;
import io.sluice.mapreduce.order.KeyOrders.IntOrder;
import io.sluice.mapreduce.order.KeyOrders.LongOrder;
import io.sluice.mapreduce.order.KeyOrders.TextOrder;
import io.sluice.spill.sort.KeyOrder;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which comparator a job gets. */
final class KeyOrdersTest {
  private static JobConf job(Class<?> keyClass) {
    JobConf job = new JobConf(false);
    job.setMapOutputKeyClass(keyClass);
    return job;
  }

  @Test
  void registeredComparatorsHaveAnOrderByPrefix() {
    assertInstanceOf(TextOrder.class, KeyOrders.of(job(Text.class)));
    assertInstanceOf(BytesWritableOrder.class, KeyOrders.of(job(BytesWritable.class)));
    assertInstanceOf(IntOrder.class, KeyOrders.of(job(IntWritable.class)));
    assertInstanceOf(LongOrder.class, KeyOrders.of(job(LongWritable.class)));
  }

  /** A type that serializes as its parent does, but need not order so. */
  public static final class Word extends Text {}

  @ParameterizedTest
  @ValueSource(classes = {DoubleWritable.class, VIntWritable.class, Word.class})
  void otherTypesAreComparedByTheirComparator(Class<?> keyClass) {
    assertInstanceOf(ComparatorOrder.class, KeyOrders.of(job(keyClass)));
  }

  @Test
  void subclassOfARegisteredComparatorIsCalled() {
    JobConf job = job(LongWritable.class);
    job.setOutputKeyComparatorClass(LongWritable.DecreasingComparator.class);
    KeyOrder order = KeyOrders.of(job);
    assertInstanceOf(ComparatorOrder.class, order);
    byte[] one = {0, 0, 0, 0, 0, 0, 0, 1};
    byte[] two = {0, 0, 0, 0, 0, 0, 0, 2};
    assertTrue(order.compare(one, 0, 8, two, 0, 8) > 0, "decreasing");
  }

  /** By length only, where Text orders by bytes. */
  public static final class ByLength implements RawComparator<Text> {
    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      return Integer.compare(aLen, bLen);
    }

    @Override
    public int compare(Text a, Text b) {
      return Integer.compare(a.getLength(), b.getLength());
    }
  }

  @Test
  void jobsOwnComparatorIsCalled() {
    JobConf job = job(Text.class);
    job.setOutputKeyComparatorClass(ByLength.class);
    KeyOrder order = KeyOrders.of(job);
    assertEquals(-1, order.compare(new byte[] {'z'}, 0, 1, new byte[] {'a', 'a'}, 0, 2));
  }

  @Test
  void comparatorOfOneTypeIsNotTakenForThatOfAnother() {
    assertInstanceOf(
        ComparatorOrder.class, KeyOrders.of(BytesWritable.class, new Text.Comparator()));
  }
}
