package io.sluice.it.jobs;

import io.sluice.it.jobs.SeededRecords.MapIndexSplit;
import java.io.IOException;
import java.util.Arrays;
import java.util.Iterator;
import org.apache.hadoop.conf.Configured;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.InputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.util.Tool;
import org.apache.hadoop.util.ToolRunner;

/**
 * A job in the old API ({@code org.apache.hadoop.mapred}), whose combiner stock runs on the reduce
 * side as well: sums of value lengths by key, over the records that {@link ScenarioJob} has too.
 */
public final class OldApiScenarioJob extends Configured implements Tool {

  /** One empty record per map task; {@link Emit} makes up the real ones. */
  public static final class IndexInput implements InputFormat<LongWritable, NullWritable> {
    @Override
    public InputSplit[] getSplits(JobConf job, int hint) {
      InputSplit[] splits = new InputSplit[ScenarioConf.of(job).maps()];
      Arrays.setAll(splits, MapIndexSplit::new);
      return splits;
    }

    @Override
    public RecordReader<LongWritable, NullWritable> getRecordReader(
        InputSplit split, JobConf job, Reporter reporter) {
      return new RecordReader<>() {
        private boolean read;

        @Override
        public boolean next(LongWritable key, NullWritable value) {
          key.set(((MapIndexSplit) split).index());
          boolean first = !read;
          read = true;
          return first;
        }

        @Override
        public LongWritable createKey() {
          return new LongWritable();
        }

        @Override
        public NullWritable createValue() {
          return NullWritable.get();
        }

        @Override
        public long getPos() {
          return read ? 1 : 0;
        }

        @Override
        public float getProgress() {
          return getPos();
        }

        @Override
        public void close() {}
      };
    }
  }

  /** Emits the length of each made-up value. */
  public static final class Emit extends MapReduceBase
      implements Mapper<LongWritable, NullWritable, WritableComparable<?>, LongWritable> {
    private ScenarioConf conf;

    @Override
    public void configure(JobConf job) {
      conf = ScenarioConf.of(job);
    }

    @Override
    public void map(
        LongWritable index,
        NullWritable none,
        OutputCollector<WritableComparable<?>, LongWritable> out,
        Reporter reporter)
        throws IOException {
      SeededRecords records = new SeededRecords(conf, (int) index.get());
      while (records.next()) {
        out.collect(records.key(), new LongWritable(records.value().getLength()));
      }
    }
  }

  /** Adds up. */
  public static final class Sum extends MapReduceBase
      implements Reducer<WritableComparable<?>, LongWritable, WritableComparable<?>, LongWritable> {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<LongWritable> values,
        OutputCollector<WritableComparable<?>, LongWritable> out,
        Reporter reporter)
        throws IOException {
      out.collect(key, new LongWritable(sum(values)));
    }
  }

  /** Adds up and writes. */
  public static final class Write extends MapReduceBase
      implements Reducer<WritableComparable<?>, LongWritable, Text, Text> {
    @Override
    public void reduce(
        WritableComparable<?> key,
        Iterator<LongWritable> values,
        OutputCollector<Text, Text> out,
        Reporter reporter)
        throws IOException {
      out.collect(
          SeededRecords.keyText(key), SeededRecords.valueText(new LongWritable(sum(values))));
    }
  }

  private static long sum(Iterator<LongWritable> values) {
    long sum = 0;
    while (values.hasNext()) {
      sum += values.next().get();
    }
    return sum;
  }

  @Override
  public int run(String[] arguments) throws IOException {
    JobConf job = new JobConf(getConf(), OldApiScenarioJob.class);
    job.setJobName("scenario, old API");
    job.setInputFormat(IndexInput.class);
    job.setMapperClass(Emit.class);
    job.setCombinerClass(Sum.class);
    job.setReducerClass(Write.class);
    job.setMapOutputKeyClass(ScenarioConf.of(job).keyType().type());
    job.setMapOutputValueClass(LongWritable.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(Text.class);
    FileOutputFormat.setOutputPath(job, new Path(arguments[0]));
    return JobClient.runJob(job).isSuccessful() ? 0 : 1;
  }

  public static void main(String[] arguments) throws Exception {
    System.exit(ToolRunner.run(new OldApiScenarioJob(), arguments));
  }
}
