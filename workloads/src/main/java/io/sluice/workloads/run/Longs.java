package io.sluice.workloads.run;

import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.Arrays;
import java.util.stream.Collectors;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableUtils;
import org.apache.hadoop.mapreduce.Reducer;

/**
 * Numbers that are added one by one. In text, spaces separate them.
 *
 * <p>Thread contract: not thread-safe. Ownership: the array is not copied.
 */
public final class Longs implements Writable {
  private long[] values = {};

  /** For Hadoop. */
  public Longs() {}

  public Longs(long[] values) {
    this.values = values;
  }

  public long[] values() {
    return values;
  }

  /** The sums, in a new array; both have the same length, and none of them overflows. */
  public static long[] sum(long[] some, long[] others) {
    long[] sum = new long[some.length];
    Arrays.setAll(sum, i -> Math.addExact(some[i], others[i]));
    return sum;
  }

  /** Numbers from their text. */
  public static long[] parse(String text) {
    return Arrays.stream(text.split(" ")).mapToLong(Long::parseLong).toArray();
  }

  /** Their text. */
  public static String format(long[] values) {
    return Arrays.stream(values).mapToObj(Long::toString).collect(Collectors.joining(" "));
  }

  @Override
  public void write(DataOutput out) throws IOException {
    WritableUtils.writeVInt(out, values.length);
    for (long value : values) {
      WritableUtils.writeVLong(out, value);
    }
  }

  @Override
  public void readFields(DataInput in) throws IOException {
    values = new long[WritableUtils.readVInt(in)];
    for (int i = 0; i < values.length; i++) {
      values[i] = WritableUtils.readVLong(in);
    }
  }

  @Override
  public String toString() {
    return format(values);
  }

  /** Adds the numbers of a key, as a combiner and as a reducer. */
  public static final class Add<K> extends Reducer<K, Longs, K, Longs> {
    @Override
    protected void reduce(K key, Iterable<Longs> parts, Context context)
        throws IOException, InterruptedException {
      long[] sum = null;
      for (Longs part : parts) {
        sum = sum == null ? part.values : sum(sum, part.values);
      }
      context.write(key, new Longs(sum));
    }
  }
}
