package io.sluice.workloads.record;

import io.sluice.workloads.record.RecordInput.RecordSum;
import io.sluice.workloads.run.PhaseTimes;
import io.sluice.workloads.run.Program;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.mapreduce.Counters;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.output.NullOutputFormat;

/**
 * Shuffles records that maps make and reduces only check, so that input and output take little
 * time. The same job runs with each of {@code workloads.shuffle.values} as the value of {@code
 * workloads.shuffle.setting}, in turn, for as many rounds as the argument says, after a round that
 * does not count. A local file gets the time of each job. Keys are all different or, with {@code
 * workloads.records.zipf}, as frequent as Zipf's law says.
 */
public final class Shuffle extends Program {
  private static final String SETTING = "workloads.shuffle.setting";
  private static final String VALUES = "workloads.shuffle.values";

  /** Counts of the reduces. */
  enum Seen {
    /** Their records. */
    RECORDS,
    /** The sum of the records' hashes. */
    SUM
  }

  public Shuffle() {
    super("records", "maps", "reduces", "rounds", "times");
  }

  @Override
  protected void execute(String[] arguments) throws Exception {
    long records = Long.parseLong(arguments[0]);
    int maps = positive(arguments[1]);
    int reduces = positive(arguments[2]);
    int rounds = positive(arguments[3]);
    String setting = getConf().get(SETTING, "mapreduce.job.name");
    String[] values = getConf().getTrimmedStrings(VALUES, "shuffle");
    String expected = null;
    try (PhaseTimes times = new PhaseTimes(Path.of(arguments[4]))) {
      for (int round = 0; round <= rounds; round++) {
        for (String value : values) {
          Job job = job(records, maps, reduces);
          job.getConfiguration().set(setting, value);
          String found = times.measure(round + " " + value, () -> seen(finish(job)));
          if (!found.startsWith(records + " ") || (expected != null && !expected.equals(found))) {
            throw new IOException(
                "%s=%s: reduces saw %s, others %s, of %d"
                    .formatted(setting, value, found, expected, records));
          }
          expected = found;
        }
      }
    }
  }

  private Job job(long records, int maps, int reduces) throws IOException {
    Job job = newJob("shuffle");
    RecordInput.set(job.getConfiguration(), maps, records);
    job.setInputFormatClass(RecordInput.class);
    job.setReducerClass(Looking.class);
    job.setNumReduceTasks(reduces);
    job.setMapOutputKeyClass(BytesWritable.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setOutputFormatClass(NullOutputFormat.class);
    return job;
  }

  private static String seen(Counters counters) {
    return counters.findCounter(Seen.RECORDS).getValue()
        + " "
        + counters.findCounter(Seen.SUM).getValue();
  }

  /** Checks that keys come in order, and counts records. */
  static final class Looking
      extends Reducer<BytesWritable, BytesWritable, BytesWritable, BytesWritable> {
    private final RecordSum sum = new RecordSum();
    private BytesWritable last;

    @Override
    protected void reduce(BytesWritable key, Iterable<BytesWritable> values, Context context)
        throws IOException {
      if (last != null && last.compareTo(key) >= 0) {
        throw new IOException("a key comes after one that is not less");
      }
      last = last == null ? new BytesWritable() : last;
      last.set(key);
      for (BytesWritable value : values) {
        sum.add(key, value);
      }
    }

    @Override
    protected void cleanup(Context context) {
      context.getCounter(Seen.RECORDS).increment(sum.count());
      context.getCounter(Seen.SUM).increment(sum.sum());
    }
  }
}
