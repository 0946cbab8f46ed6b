package io.sluice.it.jobs;

import io.sluice.it.jobs.SeededRecords.MapIndexSplit;
import java.io.IOException;
import java.lang.ref.Reference;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.InputFormat;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A job in the new API ({@code org.apache.hadoop.mapreduce}) over made-up records, writing every
 * record, or with a combiner every key's sum of value lengths.
 */
public final class ScenarioJob extends Configured implements Tool {

  /** Fills the heap, emits the made-up records, then passes the map gate. */
  public static final class Emit
      extends Mapper<WritableComparable<?>, BytesWritable, WritableComparable<?>, Writable> {
    private boolean combine;
    private byte[][] own;

    @Override
    protected void setup(Context context) {
      own = new byte[context.getConfiguration().getInt(ScenarioConf.MAP_HEAP_MB, 0)][1 << 20];
      combine = context.getConfiguration().getBoolean(ScenarioConf.COMBINE, false);
    }

    @Override
    protected void map(WritableComparable<?> key, BytesWritable value, Context context)
        throws IOException, InterruptedException {
      context.write(key, combine ? new LongWritable(value.getLength()) : value);
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      Gate.pass(
          context.getConfiguration().get(ScenarioConf.MAP_GATE),
          context.getTaskAttemptID().toString(),
          context);
      Reference.reachabilityFence(own);
    }
  }

  /** Adds up. */
  public static final class Sum
      extends Reducer<WritableComparable<?>, LongWritable, WritableComparable<?>, LongWritable> {
    @Override
    protected void reduce(WritableComparable<?> key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(key, new LongWritable(sum));
    }
  }

  /** Fills the heap, writes every record or their sum, and passes the reduce gate on the way. */
  public static final class Write extends Reducer<WritableComparable<?>, Writable, Text, Text> {
    private long keysToGate;
    private byte[][] own;

    @Override
    protected void setup(Context context) {
      own = new byte[context.getConfiguration().getInt(ScenarioConf.REDUCE_HEAP_MB, 0)][1 << 20];
      keysToGate = context.getConfiguration().getLong(ScenarioConf.REDUCE_GATE_KEYS, 0);
    }

    @Override
    protected void reduce(WritableComparable<?> key, Iterable<Writable> values, Context context)
        throws IOException, InterruptedException {
      if (keysToGate-- == 0) {
        Gate.pass(
            context.getConfiguration().get(ScenarioConf.REDUCE_GATE),
            context.getTaskAttemptID().toString(),
            context);
      }
      boolean combine = context.getConfiguration().getBoolean(ScenarioConf.COMBINE, false);
      long sum = 0;
      for (Writable value : values) {
        if (combine) {
          sum += ((LongWritable) value).get();
        } else {
          context.write(SeededRecords.keyText(key), SeededRecords.valueText(value));
        }
      }
      if (combine) {
        context.write(SeededRecords.keyText(key), SeededRecords.valueText(new LongWritable(sum)));
      }
    }

    @Override
    protected void cleanup(Context context) {
      Reference.reachabilityFence(own);
    }
  }

  @Override
  public int run(String[] arguments) throws Exception {
    Configuration conf = getConf();
    Job job = Job.getInstance(conf, "scenario");
    job.setJarByClass(ScenarioJob.class);
    job.setInputFormatClass(SeededInputFormat.class);
    job.setMapperClass(Emit.class);
    job.setReducerClass(Write.class);
    boolean combine = conf.getBoolean(ScenarioConf.COMBINE, false);
    if (combine) {
      job.setCombinerClass(Sum.class);
    }
    if (conf.getBoolean(ScenarioConf.REVERSE, false)) {
      job.setSortComparatorClass(ReverseComparator.class);
    }
    job.setMapOutputKeyClass(ScenarioConf.of(conf).keyType().type());
    job.setMapOutputValueClass(combine ? LongWritable.class : BytesWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileOutputFormat.setOutputPath(job, new Path(arguments[0]));
    return job.waitForCompletion(true) ? 0 : 1;
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new ScenarioJob(), arguments));
  }

  /** Sorts texts backwards: an order that only the job's own comparator knows. */
  public static final class ReverseComparator extends Text.Comparator {
    @Override
    public int compare(
        byte[] one, int oneStart, int oneLength, byte[] other, int otherStart, int otherLength) {
      return super.compare(other, otherStart, otherLength, one, oneStart, oneLength);
    }

    @Override
    public int compare(
        @SuppressWarnings("rawtypes") org.apache.hadoop.io.WritableComparable one,
        @SuppressWarnings("rawtypes") org.apache.hadoop.io.WritableComparable other) {
      return WritableComparator.get(Text.class).compare(other, one);
    }
  }

  /** Input that is made up in the map task; no file is read. */
  public static final class SeededInputFormat
      extends InputFormat<WritableComparable<?>, BytesWritable> {
    @Override
    public List<InputSplit> getSplits(JobContext context) {
      return IntStream.range(0, ScenarioConf.of(context.getConfiguration()).maps())
          .<InputSplit>mapToObj(MapIndexSplit::new)
          .toList();
    }

    @Override
    public RecordReader<WritableComparable<?>, BytesWritable> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      SeededRecords records =
          new SeededRecords(
              ScenarioConf.of(context.getConfiguration()), ((MapIndexSplit) split).index());
      return new RecordReader<>() {
        @Override
        public void initialize(InputSplit same, TaskAttemptContext sameContext) {}

        @Override
        public boolean nextKeyValue() {
          return records.next();
        }

        @Override
        public WritableComparable<?> getCurrentKey() {
          return records.key();
        }

        @Override
        public BytesWritable getCurrentValue() {
          return records.value();
        }

        @Override
        public float getProgress() {
          return records.progress();
        }

        @Override
        public void close() {}
      };
    }
  }
}
