package io.sluice.workloads.run;

import java.io.IOException;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A program with a fixed number of arguments, all of them required. Options with defaults are set
 * with {@code -D}.
 *
 * <p>Thread contract: one thread runs it, once. Failure: an exception of {@link #execute}; the exit
 * status is 2 if the number of arguments is wrong.
 */
public abstract class Program extends Configured implements Tool {
  private static final int WRONG_USAGE = 2;

  private final String[] argumentNames;

  /**
   * A program with these arguments.
   *
   * @param argumentNames in the order of the arguments
   */
  protected Program(String... argumentNames) {
    this.argumentNames = argumentNames;
  }

  @Override
  public final int run(String[] arguments) throws Exception {
    if (arguments.length != argumentNames.length) {
      System.err.println("Arguments: <" + String.join("> <", argumentNames) + ">");
      ToolRunner.printGenericCommandUsage(System.err);
      return WRONG_USAGE;
    }
    execute(arguments);
    return 0;
  }

  /**
   * Does all of it.
   *
   * @param arguments as many as were named
   */
  protected abstract void execute(String[] arguments) throws Exception;

  /** Parses a number that must be at least 1, such as a number of rounds. */
  protected static int positive(String argument) {
    int number = Integer.parseInt(argument);
    if (number < 1) {
      throw new IllegalArgumentException(number + " is given where 1 is the least");
    }
    return number;
  }

  /** A new job of this program, with its own copy of the configuration. */
  protected final Job newJob(String name) throws IOException {
    Job job = Job.getInstance(getConf(), name);
    job.setJarByClass(getClass());
    return job;
  }

  /** The same, from an input to an output. */
  protected final Job newJob(String name, Path input, Path output) throws IOException {
    Job job = newJob(name);
    FileInputFormat.addInputPath(job, input);
    FileOutputFormat.setOutputPath(job, output);
    return job;
  }

  /** The same, from the first argument to the second. */
  protected final Job newJob(String name, String[] arguments) throws IOException {
    return newJob(name, new Path(arguments[0]), new Path(arguments[1]));
  }

  /** Runs a job to its end, and returns its counters. */
  protected static Counters finish(Job job)
      throws IOException, InterruptedException, ClassNotFoundException {
    if (!job.waitForCompletion(true)) {
      throw new IOException(
          job.getJobName()
              + ", "
              + job.getJobID()
              + ", failed: "
              + job.getStatus().getFailureInfo());
    }
    return job.getCounters();
  }
}
