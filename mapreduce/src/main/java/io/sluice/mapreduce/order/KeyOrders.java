package io.sluice.mapreduce.order;

import io.sluice.spill.sort.BytewiseOrder;
import io.sluice.spill.sort.KeyOrder;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapred.JobConf;

/**
 * Chooses the order of a job's serialized keys.
 *
 * <p>A prefix is used only with the comparator class that Hadoop's key type registers, because the
 * order of its bytes is known. Any other comparator, also a subclass, is called for each
 * comparison.
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

  /** {@code LongWritable}: eight bytes, big-endian, signed. */
  static final class LongOrder implements KeyOrder {
    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      return Long.compare(
          WritableComparator.readLong(a, aOff), WritableComparator.readLong(b, bOff));
    }

    @Override
    public boolean hasPrefix() {
      return true;
    }

    @Override
    public long prefix(byte[] key, int off, int len) {
      // Flipping the sign bit makes the signed order the unsigned one.
      return WritableComparator.readLong(key, off) ^ Long.MIN_VALUE;
    }

    @Override
    public boolean decides(long prefix) {
      return true;
    }
  }

  /** {@code IntWritable}: four bytes, big-endian, signed. */
  static final class IntOrder implements KeyOrder {
    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      return Integer.compare(
          WritableComparator.readInt(a, aOff), WritableComparator.readInt(b, bOff));
    }

    @Override
    public boolean hasPrefix() {
      return true;
    }

    @Override
    public long prefix(byte[] key, int off, int len) {
      // Flipping the sign bit makes the signed order the unsigned one.
      return (WritableComparator.readInt(key, off) ^ 0x8000_0000L) << 32;
    }

    @Override
    public boolean decides(long prefix) {
      return true;
    }
  }

  /** Calls the job's comparator, for keys whose byte order is unknown. */
  static final class ComparatorOrder implements KeyOrder {
    private final RawComparator<?> comparator;

    ComparatorOrder(RawComparator<?> comparator) {
      this.comparator = comparator;
    }

    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      return comparator.compare(a, aOff, aLen, b, bOff, bLen);
    }

    @Override
    public boolean hasPrefix() {
      return false;
    }

    @Override
    public long prefix(byte[] key, int off, int len) {
      return 0;
    }

    @Override
    public boolean decides(long prefix) {
      return false;
    }
  }

  /** {@code BytesWritable}: four bytes of length, then bytes that order unsigned. */
  static final class BytesWritableOrder extends BytewiseOrder {
    @Override
    protected int headerBytes(byte[] key, int offset) {
      return Integer.BYTES;
    }
  }

  /** {@code Text}: a vint length, then UTF-8 bytes that order as unsigned bytes do. */
  static final class TextOrder extends BytewiseOrder {
    @Override
    protected int headerBytes(byte[] key, int offset) {
      return WritableUtils.decodeVIntSize(key[offset]);
    }
  }
}
