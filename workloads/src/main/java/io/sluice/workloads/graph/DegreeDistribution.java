package io.sluice.workloads.graph;

import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;
import org.apache.hadoop.mapreduce.lib.reduce.LongSumReducer;

/**
 * Counts the vertices of each degree, edges in and out together: Pegasus' DegDist in Mammoth, Table
 * 2. In: edges. Out: {@code degree vertices}. Two jobs: degrees, then the vertices of each; both
 * with combiners.
 */
public final class DegreeDistribution extends Program {
  private static final LongWritable ONE = new LongWritable(1);

  public DegreeDistribution() {
    super("edges", "output");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Path output = new Path(arguments[1]);
    try (Steps steps = new Steps(getConf(), output)) {
      Path degrees = steps.next();
      Job first = newCount("degrees", new Path(arguments[0]), degrees);
      first.setMapperClass(Ends.class);
      first.setOutputFormatClass(SequenceFileOutputFormat.class);
      finish(first);
      Job second = newCount("degree distribution", degrees, output);
      second.setInputFormatClass(SequenceFileInputFormat.class);
      second.setMapperClass(Degrees.class);
      finish(second);
    }
  }

  private Job newCount(String name, Path input, Path output) throws IOException {
    Job job = newJob(name, input, output);
    job.setCombinerClass(LongSumReducer.class);
    job.setReducerClass(LongSumReducer.class);
    job.setOutputKeyClass(LongWritable.class);
    job.setOutputValueClass(LongWritable.class);
    return job;
  }

  /** Both vertices of an edge. */
  static final class Ends extends Mapper<LongWritable, Text, LongWritable, LongWritable> {
    private final LongWritable vertex = new LongWritable();

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (String end : line.toString().split(",")) {
        vertex.set(Long.parseLong(end));
        context.write(vertex, ONE);
      }
    }
  }

  /** The degree of a vertex. */
  static final class Degrees
      extends Mapper<LongWritable, LongWritable, LongWritable, LongWritable> {
    @Override
    protected void map(LongWritable vertex, LongWritable degree, Context context)
        throws IOException, InterruptedException {
      context.write(degree, ONE);
    }
  }
}
