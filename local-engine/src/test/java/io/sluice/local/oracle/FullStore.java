package io.sluice.local.oracle;

import io.sluice.local.Leftovers;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobStatus;

/** A process whose store is as small as it is told; prints how its jobs end. */
final class FullStore {
  private static final int LINES = 20_000;
  private static final int TIMES = 8;

  private FullStore() {}

  /** Puts out more than is in a file that it reads. */
  public static class ManyPairs extends Tasks.Pairs {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      for (int i = 0; i < TIMES; i++) {
        super.map(offset, line, context);
      }
    }
  }

  /**
   * @param arguments a directory, the store's memory in MiB, and whether jobs are to succeed
   */
  public static void main(String[] arguments) throws Exception {
    Path directory = Path.of(arguments[0]);
    boolean succeeds = Boolean.parseBoolean(arguments[2]);
    Oracle oracle = new Oracle(directory);
    oracle.conf().set("sluice.local.memory-mb", arguments[1]);
    oracle.conf().setInt("mapreduce.map.maxattempts", 1);
    Inputs inputs = new Inputs(directory, new Random(1));
    inputs.files("lines", 3, LINES, LINES);
    Oracle.Program program =
        settings -> {
          Job job = Tasks.digests(inputs.job(settings, "lines"), 2);
          job.setMapperClass(ManyPairs.class);
          return job;
        };
    Oracle.Ran stock = succeeds ? oracle.stock(program) : null;
    for (String exchange : Oracle.EXCHANGES) {
      Job job = oracle.ours(program, exchange, 2);
      Oracle.Ran ran = oracle.run(job);
      if (succeeds) {
        Oracle.same(stock, oracle.succeeded(ran), exchange);
      } else if (job.getStatus().getState() != JobStatus.State.FAILED) {
        throw new AssertionError(exchange + " ends " + job.getStatus().getState());
      }
      Leftovers.none(oracle.conf(), directory.resolve("tmp"));
      System.out.println(exchange + ": " + Oracle.failure(job));
    }
  }
}
