package io.sluice.local.oracle;

import java.io.IOException;
import java.util.Iterator;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.MapRunnable;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;

/** The same as in {@link Tasks}, with the old interfaces. */
final class OldTasks {
  private OldTasks() {}

  private static void pair(Text line, OutputCollector<Text, LongWritable> out, Reporter reporter)
      throws IOException {
    String text = line.toString();
    int blank = text.indexOf(' ');
    reporter.incrCounter("user", "lines", 1);
    out.collect(
        new Text(text.substring(0, blank)),
        new LongWritable(Long.parseLong(text.substring(blank + 1))));
  }

  /** The key and the number of a line. */
  public static class Pairs extends MapReduceBase
      implements Mapper<LongWritable, Text, Text, LongWritable> {
    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, LongWritable> out, Reporter reporter)
        throws IOException {
      pair(line, out, reporter);
    }
  }

  /** The same, with the reader in its own hands. */
  public static class Runner implements MapRunnable<LongWritable, Text, Text, LongWritable> {
    @Override
    public void configure(JobConf job) {
      // It needs none of it.
    }

    @Override
    public void run(
        RecordReader<LongWritable, Text> in,
        OutputCollector<Text, LongWritable> out,
        Reporter reporter)
        throws IOException {
      LongWritable offset = in.createKey();
      Text line = in.createValue();
      while (in.next(offset, line)) {
        pair(line, out, reporter);
      }
    }
  }

  /** A sum for each group. */
  public static class Sum extends MapReduceBase
      implements Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<LongWritable> values,
        OutputCollector<Text, LongWritable> out,
        Reporter reporter)
        throws IOException {
      long sum = 0;
      while (values.hasNext()) {
        sum += values.next().get();
      }
      out.collect(key, new LongWritable(sum));
    }
  }

  /** A line for each group. */
  public static class Digest extends MapReduceBase
      implements Reducer<Text, LongWritable, Text, NullWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<LongWritable> values,
        OutputCollector<Text, NullWritable> out,
        Reporter reporter)
        throws IOException {
      long count = 0;
      long sum = 0;
      while (values.hasNext()) {
        count++;
        sum += Tasks.mixed(values.next().toString());
      }
      out.collect(new Text(key + " " + count + " " + sum), NullWritable.get());
    }
  }
}
