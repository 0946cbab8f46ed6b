package io.sluice.local.oracle;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;

/** What the jobs of these tests do; all of it the same in whatever order equal keys come. */
final class Tasks {
  private Tasks() {}

  /** The key and the number of a line. */
  public static class Pairs extends Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      String text = line.toString();
      int blank = text.indexOf(' ');
      context.getCounter("user", "lines").increment(1);
      context.write(
          new Text(text.substring(0, blank)),
          new LongWritable(Long.parseLong(text.substring(blank + 1))));
    }
  }

  /** A line for each group: how many values it has, and a sum over all of them. */
  public static class Digest<K, V> extends Reducer<K, V, Text, NullWritable> {
    @Override
    protected void reduce(K first, Iterable<V> values, Context context)
        throws IOException, InterruptedException {
      String key = first.toString();
      long count = 0;
      long sum = 0;
      for (V value : values) {
        count++;
        sum += mixed(value.toString());
      }
      context.write(new Text(key + " " + count + " " + sum), NullWritable.get());
    }
  }

  static long mixed(String text) {
    return text.hashCode() * 0x9E3779B97F4A7C15L >>> 20;
  }

  /** A sum for each group, as a combiner makes it. */
  public static class Sum extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(key, new LongWritable(sum));
    }
  }

  /** From lines to digests. */
  static Job digests(Job job, int reduces) {
    job.setMapperClass(Pairs.class);
    job.setReducerClass(Digest.class);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(NullWritable.class);
    job.setNumReduceTasks(reduces);
    return job;
  }

  /** From lines to sums, combined. */
  static Job sums(Job job, int reduces) {
    job.setMapperClass(Pairs.class);
    job.setCombinerClass(Sum.class);
    job.setReducerClass(Sum.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(reduces);
    return job;
  }
}
