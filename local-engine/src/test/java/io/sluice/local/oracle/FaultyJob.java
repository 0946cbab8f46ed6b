package io.sluice.local.oracle;

import io.sluice.local.oracle.Faults.Step;
import java.io.DataInput;
import java.io.DataOutput;
import java.io.IOException;
import java.util.List;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.Partitioner;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;

/** A job that adds up, all of whose code tells {@link Faults} that it is called. */
final class FaultyJob {
  private FaultyJob() {}

  static Job of(Job job, int reduces, boolean combines) {
    job.setInputFormatClass(Input.class);
    job.setMapperClass(Maps.class);
    job.setPartitionerClass(ByNumber.class);
    job.setSortComparatorClass(Order.class);
    if (combines) {
      job.setCombinerClass(Combines.class);
    }
    job.setReducerClass(Reduces.class);
    job.setOutputFormatClass(Output.class);
    job.setOutputKeyClass(Key.class);
    job.setOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(reduces);
    return job;
  }

  /** Lines. */
  public static class Input extends TextInputFormat {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      Faults.reached(Step.SPLITS);
      return super.getSplits(job);
    }

    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      return new Reader();
    }
  }

  private static final class Reader extends LineRecordReader {
    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
      super.initialize(split, context);
      Faults.reached(Step.READER_OPEN);
    }

    @Override
    public boolean nextKeyValue() throws IOException {
      Faults.reached(Step.READER_NEXT);
      return super.nextKeyValue();
    }

    @Override
    public synchronized void close() throws IOException {
      super.close();
      Faults.reached(Step.READER_CLOSE);
    }
  }

  /** A number. */
  public static class Key implements WritableComparable<Key> {
    private int number;

    /** For Hadoop. */
    public Key() {}

    @Override
    public void write(DataOutput out) throws IOException {
      Faults.reached(Step.KEY_WRITE);
      out.writeInt(number);
    }

    @Override
    public void readFields(DataInput in) throws IOException {
      number = in.readInt();
      Faults.reached(Step.KEY_READ);
    }

    @Override
    public int compareTo(Key other) {
      return Integer.compare(number, other.number);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Key key && key.number == number;
    }

    @Override
    public int hashCode() {
      return number;
    }

    @Override
    public String toString() {
      return Integer.toString(number);
    }
  }

  /** Of keys, by their bytes. */
  public static class Order extends WritableComparator {
    /** For Hadoop. */
    public Order() {
      super(Key.class);
    }

    @Override
    public int compare(byte[] b1, int s1, int l1, byte[] b2, int s2, int l2) {
      Faults.reachedUnchecked(Step.COMPARE);
      return Integer.compare(readInt(b1, s1), readInt(b2, s2));
    }
  }

  /** By the number itself. */
  public static class ByNumber extends Partitioner<Key, LongWritable> {
    @Override
    public int getPartition(Key key, LongWritable value, int partitions) {
      Faults.reachedUnchecked(Step.PARTITION);
      return key.number % partitions;
    }
  }

  /** The number of a line, by some of its digits. */
  public static class Maps extends Mapper<LongWritable, Text, Key, LongWritable> {
    private final Key key = new Key();

    @Override
    protected void setup(Context context) throws IOException {
      Faults.reached(Step.MAP_SETUP);
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Faults.reached(Step.MAP);
      String text = line.toString();
      long number = Long.parseLong(text.substring(text.indexOf(' ') + 1));
      key.number = (int) (number % 100);
      context.write(key, new LongWritable(number));
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      Faults.reached(Step.MAP_CLEANUP);
    }
  }

  /** Adds up. */
  public static class Combines extends Reducer<Key, LongWritable, Key, LongWritable> {
    @Override
    protected void reduce(Key key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      Faults.reached(Step.COMBINE);
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(key, new LongWritable(sum));
    }
  }

  /** Adds up. */
  public static class Reduces extends Reducer<Key, LongWritable, Key, LongWritable> {
    @Override
    protected void setup(Context context) throws IOException {
      Faults.reached(Step.REDUCE_SETUP);
    }

    @Override
    protected void reduce(Key key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      Faults.reached(Step.REDUCE);
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      context.write(key, new LongWritable(sum));
    }

    @Override
    protected void cleanup(Context context) throws IOException {
      Faults.reached(Step.REDUCE_CLEANUP);
    }
  }

  /** Text files. */
  public static class Output extends TextOutputFormat<Key, LongWritable> {
    private OutputCommitter committer;

    @Override
    public void checkOutputSpecs(JobContext job) throws IOException {
      super.checkOutputSpecs(job);
      Faults.reached(Step.CHECK_OUTPUT);
    }

    @Override
    public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
        throws IOException {
      if (committer == null) {
        committer = new Committer(getOutputPath(context), context);
      }
      return committer;
    }

    @Override
    public RecordWriter<Key, LongWritable> getRecordWriter(TaskAttemptContext context)
        throws IOException, InterruptedException {
      Faults.reached(Step.WRITER_OPEN);
      RecordWriter<Key, LongWritable> real = super.getRecordWriter(context);
      return new RecordWriter<>() {
        @Override
        public void write(Key key, LongWritable value) throws IOException, InterruptedException {
          Faults.reached(Step.WRITE);
          real.write(key, value);
        }

        @Override
        public void close(TaskAttemptContext of) throws IOException, InterruptedException {
          real.close(of);
          Faults.reached(Step.WRITER_CLOSE);
        }
      };
    }
  }

  private static final class Committer extends FileOutputCommitter {
    Committer(Path output, TaskAttemptContext context) throws IOException {
      super(output, context);
    }

    @Override
    public void setupJob(JobContext context) throws IOException {
      super.setupJob(context);
      Faults.reached(Step.SETUP_JOB);
    }

    @Override
    public void setupTask(TaskAttemptContext context) throws IOException {
      super.setupTask(context);
      Faults.reached(Step.SETUP_TASK);
    }

    @Override
    public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
      Faults.reached(Step.NEEDS_COMMIT);
      return super.needsTaskCommit(context);
    }

    @Override
    public void commitTask(TaskAttemptContext context) throws IOException {
      Faults.reached(Step.COMMIT_TASK);
      super.commitTask(context);
    }

    @Override
    public void abortTask(TaskAttemptContext context) throws IOException {
      super.abortTask(context);
      Faults.reached(Step.ABORT_TASK);
    }

    @Override
    public void commitJob(JobContext context) throws IOException {
      Faults.reached(Step.COMMIT_JOB);
      super.commitJob(context);
    }

    @Override
    public void abortJob(JobContext context, JobStatus.State state) throws IOException {
      super.abortJob(context, state);
      Faults.reached(Step.ABORT_JOB);
    }
  }
}
