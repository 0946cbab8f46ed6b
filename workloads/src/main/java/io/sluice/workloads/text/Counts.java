package io.sluice.workloads.text;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Reducer;

/** Adds, as a combiner and as a reducer. */
final class Counts extends Reducer<Text, LongWritable, Text, LongWritable> {
  private final LongWritable total = new LongWritable();

  @Override
  protected void reduce(Text key, Iterable<LongWritable> counts, Context context)
      throws IOException, InterruptedException {
    long sum = 0;
    for (LongWritable count : counts) {
      sum += count.get();
    }
    total.set(sum);
    context.write(key, total);
  }
}
