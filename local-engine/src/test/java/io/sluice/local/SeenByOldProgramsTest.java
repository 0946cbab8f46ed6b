package io.sluice.local;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputCommitter;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.InputSplit;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobContext;
import org.apache.hadoop.mapred.MapRunner;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.RecordReader;
import org.apache.hadoop.mapred.RecordWriter;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.TaskAttemptContext;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.hadoop.mapred.TextOutputFormat;
import org.apache.hadoop.mapred.lib.HashPartitioner;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link SeenByProgramsTest} shows, for a program of the old API. */
@Timeout(300)
class SeenByOldProgramsTest {
  /** The file system that is called ignored, which is the submission's. */
  private static final Set<String> OTHERWISE = Set.of("check(0)");

  @TempDir private Path directory;

  /** The user's own. */
  public static class In extends TextInputFormat {
    @Override
    public InputSplit[] getSplits(JobConf job, int splits) throws IOException {
      Witness.look("splits", job);
      InputSplit[] made = super.getSplits(job, splits);
      Witness.look("splits made", (Object[]) made);
      return made;
    }

    @Override
    public RecordReader<LongWritable, Text> getRecordReader(
        InputSplit split, JobConf job, Reporter reporter) throws IOException {
      Witness.look("reader", split, job, reporter);
      return new Reader(super.getRecordReader(split, job, reporter), job, reporter);
    }
  }

  private record Reader(RecordReader<LongWritable, Text> real, JobConf job, Reporter reporter)
      implements RecordReader<LongWritable, Text> {
    @Override
    public boolean next(LongWritable key, Text value) throws IOException {
      Witness.look("next", job, reporter);
      return real.next(key, value);
    }

    @Override
    public LongWritable createKey() {
      Witness.look("key", job, reporter);
      return real.createKey();
    }

    @Override
    public Text createValue() {
      return real.createValue();
    }

    @Override
    public long getPos() throws IOException {
      return real.getPos();
    }

    @Override
    public void close() throws IOException {
      Witness.look("close", job, reporter);
      real.close();
    }

    @Override
    public float getProgress() throws IOException {
      return real.getProgress();
    }
  }

  /** The user's own. */
  public static class Runner extends MapRunner<LongWritable, Text, Text, IntWritable> {
    @Override
    public void configure(JobConf job) {
      Witness.look("runner", job);
      super.configure(job);
    }

    @Override
    public void run(
        RecordReader<LongWritable, Text> in,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      Witness.look("run", in, out, reporter);
      super.run(in, out, reporter);
    }
  }

  /** The user's own. */
  public static class Words implements Mapper<LongWritable, Text, Text, IntWritable> {
    private JobConf job;

    @Override
    public void configure(JobConf conf) {
      job = conf;
      Witness.look("mapper", conf);
    }

    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws IOException {
      Witness.look("map", out, reporter, job);
      for (String word : line.toString().split(" ")) {
        out.collect(new Text(word), new IntWritable(1));
      }
    }

    @Override
    public void close() {
      Witness.look("mapper closes", job);
    }
  }

  /** The user's own. */
  public static class Partition extends HashPartitioner<Text, IntWritable> {
    @Override
    public void configure(JobConf job) {
      Witness.look("partitioner", job);
    }
  }

  /** The user's own. */
  public static class Combine extends Sum {
    /** Made by Hadoop. */
    public Combine() {
      super("combine");
    }
  }

  /** The user's own. */
  public static class Reduce extends Sum {
    /** Made by Hadoop. */
    public Reduce() {
      super("reduce");
    }
  }

  private abstract static class Sum implements Reducer<Text, IntWritable, Text, IntWritable> {
    private final String name;

    Sum(String name) {
      this.name = name;
    }

    @Override
    public void configure(JobConf job) {
      Witness.look(name, job);
    }

    @Override
    public void reduce(
        Text word,
        Iterator<IntWritable> counts,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws IOException {
      if (name.equals("reduce")) { // Sluice's collector has its own for a combiner
        Witness.look("reduces into", out);
      }
      Witness.look(name + "s", reporter);
      int sum = 0;
      while (counts.hasNext()) {
        sum += counts.next().get();
      }
      out.collect(word, new IntWritable(sum));
    }

    @Override
    public void close() {
      Witness.look(name + " closes");
    }
  }

  /** The user's own. */
  public static class Out extends TextOutputFormat<Text, IntWritable> {
    @Override
    public void checkOutputSpecs(FileSystem ignored, JobConf job) throws IOException {
      Witness.look("check", ignored, job);
      super.checkOutputSpecs(ignored, job);
    }

    @Override
    public RecordWriter<Text, IntWritable> getRecordWriter(
        FileSystem ignored, JobConf job, String name, Progressable progress) throws IOException {
      Witness.look("writer", ignored, job, progress);
      return super.getRecordWriter(ignored, job, name, progress);
    }
  }

  /** The user's own. */
  public static class Committer extends FileOutputCommitter {
    @Override
    public void setupJob(JobContext context) throws IOException {
      Witness.look("set up job", context);
      super.setupJob(context);
    }

    @Override
    public void commitJob(JobContext context) throws IOException {
      Witness.look("commit job", context);
      super.commitJob(context);
    }

    @Override
    public void setupTask(TaskAttemptContext context) throws IOException {
      Witness.look("set up task", context);
      super.setupTask(context);
    }

    @Override
    public boolean needsTaskCommit(TaskAttemptContext context) throws IOException {
      Witness.look("needs commit", context);
      return super.needsTaskCommit(context);
    }

    @Override
    public void commitTask(TaskAttemptContext context) throws IOException {
      Witness.look("commit task", context);
      super.commitTask(context);
    }
  }

  private Map<String, Set<String>> run(Jobs jobs, String framework, int reduces)
      throws IOException {
    Witness.forget();
    JobConf conf = new JobConf(jobs.conf());
    conf.set("mapreduce.framework.name", framework);
    conf.set("sluice.local.exchange", "pull");
    conf.setInputFormat(In.class);
    conf.setMapRunnerClass(Runner.class);
    conf.setMapperClass(Words.class);
    conf.setPartitionerClass(Partition.class);
    conf.setCombinerClass(Combine.class);
    conf.setReducerClass(Reduce.class);
    conf.setOutputFormat(Out.class);
    conf.setOutputCommitter(Committer.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(IntWritable.class);
    conf.setNumMapTasks(1); // as LocalJobRunner sets it
    conf.setNumReduceTasks(reduces);
    FileInputFormat.setInputPaths(
        conf, new org.apache.hadoop.fs.Path(directory.resolve("input").toUri()));
    Path output = directory.resolve("output");
    FileOutputFormat.setOutputPath(conf, new org.apache.hadoop.fs.Path(output.toUri()));
    JobClient.runJob(conf);
    Jobs.deleteOutput(output);
    return Witness.seen();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aProgramOfTheOldApiSeesStocksClasses(int reduces) throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, 20);
    Map<String, Set<String>> expected = run(jobs, "local", reduces);
    run(jobs, "sluice", reduces);
    Witness.assertSees(expected, OTHERWISE);
  }
}
