package io.sluice.workloads.graph;

import java.io.IOException;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Mapper;

/** Reads {@code from,to}, and puts out both ends of an edge, each with the other one. */
final class Edges extends Mapper<LongWritable, Text, LongWritable, LongWritable> {
  private final LongWritable from = new LongWritable();
  private final LongWritable to = new LongWritable();

  @Override
  protected void map(LongWritable offset, Text line, Context context)
      throws IOException, InterruptedException {
    String[] ends = line.toString().split(",");
    from.set(Long.parseLong(ends[0]));
    to.set(Long.parseLong(ends[1]));
    context.write(from, to);
    context.write(to, from);
  }
}
