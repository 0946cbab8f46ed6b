package io.sluice.workloads.record;

import io.sluice.workloads.record.RecordInput.RecordSum;
import io.sluice.workloads.run.PhaseTimes;
import io.sluice.workloads.run.Program;
import io.sluice.workloads.run.Steps;
import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.SequenceFile;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.input.SequenceFileInputFormat;
import org.apache.hadoop.mapreduce.lib.output.SequenceFileOutputFormat;

/**
 * Sorts records again and again. Each job sorts the output of the job before by the next ten bytes,
 * so that no job finds its input in order. In and out: sequence files. A local file gets the time
 * of each job, and with {@code workloads.sortchain.check} the sum of the last output.
 */
public final class SortChain extends Program {
  private static final String CHECK = "workloads.sortchain.check";

  public SortChain() {
    super("records", "output", "jobs", "times");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    Path input = new Path(arguments[0]);
    Path output = new Path(arguments[1]);
    int jobs = positive(arguments[2]);
    try (Steps steps = new Steps(getConf(), output);
        PhaseTimes times = new PhaseTimes(java.nio.file.Path.of(arguments[3]))) {
      for (int number = 1; number <= jobs; number++) {
        Path from = input;
        Path to = number < jobs ? steps.next() : output;
        times.measure("job " + number, () -> sort(from, to));
        input = to;
      }
      if (getConf().getBoolean(CHECK, false)) {
        times.measure("check", () -> sum(getConf(), output));
      }
    }
  }

  /** Returns the number of sorted records. */
  private long sort(Path input, Path output) throws Exception {
    Job job = newJob("sortchain", input, output);
    job.setInputFormatClass(SequenceFileInputFormat.class);
    job.setMapperClass(Rotating.class);
    job.setOutputKeyClass(BytesWritable.class);
    job.setOutputValueClass(BytesWritable.class);
    job.setOutputFormatClass(SequenceFileOutputFormat.class);
    Counters counters = finish(job);
    long in = counters.findCounter(TaskCounter.MAP_INPUT_RECORDS).getValue();
    long out = counters.findCounter(TaskCounter.REDUCE_OUTPUT_RECORDS).getValue();
    if (in != out) {
      throw new IOException("%d records went in, and %d came out".formatted(in, out));
    }
    return out;
  }

  /** The bytes after the key become the key, and the key goes behind the others. */
  static final class Rotating
      extends Mapper<BytesWritable, BytesWritable, BytesWritable, BytesWritable> {
    private final BytesWritable nextKey = new BytesWritable();
    private final BytesWritable nextValue = new BytesWritable();

    @Override
    protected void map(BytesWritable key, BytesWritable value, Context context)
        throws IOException, InterruptedException {
      int keyBytes = key.getLength();
      int restBytes = value.getLength() - keyBytes;
      nextKey.set(value.getBytes(), 0, keyBytes);
      nextValue.setSize(value.getLength());
      System.arraycopy(value.getBytes(), keyBytes, nextValue.getBytes(), 0, restBytes);
      System.arraycopy(key.getBytes(), 0, nextValue.getBytes(), restBytes, keyBytes);
      context.write(nextKey, nextValue);
    }
  }

  /**
   * The number of records in an output, and the sum of their hashes.
   *
   * @throws IOException also if a file is not in order
   */
  static String sum(Configuration conf, Path output) throws IOException {
    FileSystem files = output.getFileSystem(conf);
    RecordSum sum = new RecordSum();
    for (FileStatus part : files.globStatus(new Path(output, "part-*"))) {
      BytesWritable last = null;
      BytesWritable key = new BytesWritable();
      BytesWritable value = new BytesWritable();
      try (SequenceFile.Reader reader =
          new SequenceFile.Reader(conf, SequenceFile.Reader.file(part.getPath()))) {
        while (reader.next(key, value)) {
          if (last != null && last.compareTo(key) > 0) {
            throw new IOException(part.getPath() + " is not in order");
          }
          last = last == null ? new BytesWritable() : last;
          last.set(key);
          sum.add(key, value);
        }
      }
    }
    return sum.count() + " " + sum.sum();
  }
}
