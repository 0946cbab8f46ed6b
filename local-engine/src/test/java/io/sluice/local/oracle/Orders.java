package io.sluice.local.oracle;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.Reducer;

/** A secondary sort: keys {@code group|number}, whose order, groups and reduces are the test's. */
final class Orders {
  private Orders() {}

  private static String group(String key) {
    return key.substring(0, key.indexOf('|'));
  }

  private static long number(String key) {
    return Long.parseLong(key.substring(key.indexOf('|') + 1));
  }

  /** The whole line is the key. */
  public static class Composite extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String key = line.toString().replace(' ', '|');
      context.write(new Text(key), new LongWritable(number(key)));
    }
  }

  /** Groups upwards, numbers downwards. */
  public static class Sorted extends WritableComparator {
    /** For Hadoop. */
    public Sorted() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable one, WritableComparable other) {
      int groups = group(one.toString()).compareTo(group(other.toString()));
      return groups != 0 ? groups : Long.compare(number(other.toString()), number(one.toString()));
    }
  }

  /** Whose groups are equal. */
  public static class Grouped extends WritableComparator {
    /** For Hadoop. */
    public Grouped() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable one, WritableComparable other) {
      return group(one.toString()).compareTo(group(other.toString()));
    }
  }

  /** By the length of the group first, as no hash does. */
  public static class ByGroup extends Partitioner<Text, LongWritable> {
    @Override
    public int getPartition(Text key, LongWritable value, int partitions) {
      String group = group(key.toString());
      return (group.length() * 31 + group.charAt(group.length() - 1)) % partitions;
    }
  }

  /** Adds up a group, under its first key. */
  public static class SumOfGroup extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text first, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      Text key = new Text(group(first.toString()) + "|0");
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(key, new LongWritable(sum));
    }
  }

  /** All values of a group in a line, in the order in which they come, and the keys with them. */
  public static class InOrder extends Reducer<Text, LongWritable, Text, NullWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      StringBuilder line = new StringBuilder(key.toString()).append(':');
      for (LongWritable value : values) {
        line.append(' ').append(key).append('=').append(value);
      }
      context.write(new Text(line.toString()), NullWritable.get());
    }
  }
}
