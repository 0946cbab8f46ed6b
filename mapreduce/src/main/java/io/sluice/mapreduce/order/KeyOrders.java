package io.sluice.mapreduce.order;

import io.sluice.spill.sort.KeyOrder;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;

/**
 * Chooses how a job's serialized keys are compared.
 *
 * <p>A prefix is used only where the comparator is the very class that the key type registers, so
 * that the order of the bytes is known to be the order of the comparator; any other comparator, the
 * user's or a subclass, is called for every comparison.
 */
public final class KeyOrders {
  private KeyOrders() {}

  /** The order of {@code job}'s map output keys. */
  public static KeyOrder of(JobConf job) {
    return of(job.getMapOutputKeyClass(), job.getOutputKeyComparator());
  }

  static KeyOrder of(Class<?> keyClass, RawComparator<?> comparator) {
    Class<?> comparatorClass = comparator.getClass();
    if (keyClass == Text.class && comparatorClass == Text.Comparator.class) {
      return new TextOrder();
    }
    if (keyClass == BytesWritable.class && comparatorClass == BytesWritable.Comparator.class) {
      return new BytesWritableOrder();
    }
    if (keyClass == IntWritable.class && comparatorClass == IntWritable.Comparator.class) {
      return new IntOrder();
    }
    if (keyClass == LongWritable.class && comparatorClass == LongWritable.Comparator.class) {
      return new LongOrder();
    }
    return new ComparatorOrder(comparator);
  }
}
