package io.sluice.workloads.graph;

import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.IOException;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * A program whose vertices tell each other their states, a job a round, until none hears anything
 * new: a job that makes the vertices, the rounds, with combiners, and one of maps alone that puts
 * out what is known. Edges have no direction.
 */
abstract class RankSpread extends Program {
  private final Class<? extends States> states;

  RankSpread(Class<? extends States> states) {
    super("edges", "output", "most-rounds");
    this.states = states;
  }

  @Override
  protected final void execute(String[] arguments) throws Exception {
    Path output = new Path(arguments[1]);
    int mostRounds = positive(arguments[2]);
    try (Steps steps = new Steps(getConf(), output)) {
      Path vertices = steps.next();
      makeVertices(new Path(arguments[0]), vertices);
      boolean changed = true;
      for (int round = 0; changed && round < mostRounds; round++) {
        Path next = steps.next();
        changed = runRound(vertices, next);
        vertices = next;
      }
      putOut(vertices, output);
    }
  }

  private Job newStep(String step, Path input, Path output) throws IOException {
    Job job = newJob(getClass().getSimpleName() + ", " + step);
    SpreadTasks.setStates(job.getConfiguration(), states);
    job.setOutputKeyClass(LongWritable.class);
    FileInputFormat.addInputPath(job, input);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }

  private void makeVertices(Path edges, Path vertices) throws Exception {
    Job job = newStep("vertices", edges, vertices);
    job.setMapperClass(Edges.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setReducerClass(SpreadTasks.Start.class);
    job.setOutputValueClass(Vertex.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    finish(job);
  }

  private boolean runRound(Path vertices, Path next) throws Exception {
    Job job = newStep("round", vertices, next);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(SpreadTasks.Tell.class);
    job.setCombinerClass(SpreadTasks.Combine.class);
    job.setReducerClass(SpreadTasks.Hear.class);
    job.setOutputValueClass(Vertex.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    return finish(job).findCounter(SpreadTasks.Count.CHANGED).getValue() > 0;
  }

  private void putOut(Path vertices, Path output) throws Exception {
    Job job = newStep("result", vertices, output);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(SpreadTasks.Result.class);
    job.setNumReduceTasks(0);
    job.setOutputValueClass(Text.class);
    finish(job);
  }

  /** Reads {@code from,to}, and puts out both ends of an edge, each with the other one. */
  static final class Edges extends Mapper<LongWritable, Text, LongWritable, LongWritable> {
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
}
