package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.InputSplit;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.JobContext;
import org.apache.hadoop.mapreduce.JobStatus;
import org.apache.hadoop.mapreduce.OutputCommitter;
import org.apache.hadoop.mapreduce.RecordReader;
import org.apache.hadoop.mapreduce.RecordWriter;
import org.apache.hadoop.mapreduce.TaskAttemptContext;
import org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.LineRecordReader;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.output.FileOutputCommitter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.partition.HashPartitioner;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the code of a program sees under the engine and under LocalJobRunner, wherever it is called:
 * the same classes and the same splits, and settings that differ by name.
 */
@Timeout(300)
@Tag("slow")
class SeenByProgramsTest {
  @TempDir private Path directory;
  private Jobs jobs;

  @BeforeEach
  void write() throws IOException {
    jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 1, 20);
    Witness.forget();
  }

  /** The user's own. */
  public static class In extends FileInputFormat<LongWritable, Text> {
    @Override
    public List<InputSplit> getSplits(JobContext job) throws IOException {
      Witness.look("splits", job);
      List<InputSplit> splits = super.getSplits(job);
      Witness.look("splits made", splits.toArray());
      return splits;
    }

    @Override
    public RecordReader<LongWritable, Text> createRecordReader(
        InputSplit split, TaskAttemptContext context) {
      Witness.look("reader", split, context);
      return new Reader();
    }
  }

  private static final class Reader extends LineRecordReader {
    private TaskAttemptContext context;

    @Override
    public void initialize(InputSplit split, TaskAttemptContext context) throws IOException {
      Witness.look("initialize", split, context);
      this.context = context;
      super.initialize(split, context);
    }

    @Override
    public boolean nextKeyValue() throws IOException {
      Witness.look("next", context);
      return super.nextKeyValue();
    }

    @Override
    public synchronized void close() throws IOException {
      Witness.look("close", context);
      super.close();
    }
  }

  /** The user's own. */
  public static class Mapping extends Jobs.Words {
    @Override
    protected void setup(Context context) {
      Witness.look("map setup", context);
      Witness.keep(context.getConfiguration());
    }

    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      Witness.look("map", context);
      super.map(offset, line, context);
    }

    @Override
    protected void cleanup(Context context) {
      Witness.look("map cleanup", context);
    }
  }

  /** The user's own. */
  public static class Partition extends HashPartitioner<Text, IntWritable>
      implements org.apache.hadoop.conf.Configurable {
    @Override
    public void setConf(Configuration conf) {
      Witness.look("partitioner", conf);
    }

    @Override
    public Configuration getConf() {
      return null;
    }
  }

  /** The user's own. */
  public static class Order extends Text.Comparator {
    @Override
    public void setConf(Configuration conf) {
      super.setConf(conf);
      Witness.order(conf);
    }
  }

  /** The user's own. */
  public static class Combine extends Jobs.Sum {
    @Override
    protected void setup(Context context) {
      Witness.look("combine", context);
    }
  }

  /** The user's own. */
  public static class Reduce extends Jobs.Sum {
    @Override
    protected void setup(Context context) {
      Witness.look("reduce setup", context);
      Witness.keep(context.getConfiguration());
    }

    @Override
    protected void cleanup(Context context) {
      Witness.look("reduce cleanup", context);
    }
  }

  /** The user's own. */
  public static class Out extends TextOutputFormat<Text, IntWritable> {
    private OutputCommitter committer;

    @Override
    public void checkOutputSpecs(JobContext job) throws IOException {
      Witness.look("check", job);
      super.checkOutputSpecs(job);
    }

    @Override
    public RecordWriter<Text, IntWritable> getRecordWriter(TaskAttemptContext context)
        throws IOException, InterruptedException {
      Witness.look("writer", context);
      return super.getRecordWriter(context);
    }

    @Override
    public synchronized OutputCommitter getOutputCommitter(TaskAttemptContext context)
        throws IOException {
      Witness.look("committer", context);
      if (committer == null) {
        committer = new Committer(getOutputPath(context), context);
      }
      return committer;
    }
  }

  private static final class Committer extends FileOutputCommitter {
    Committer(org.apache.hadoop.fs.Path output, TaskAttemptContext context) throws IOException {
      super(output, context);
    }

    @Override
    public void setupJob(JobContext context) throws IOException {
      Witness.look("set up job", context);
      super.setupJob(context);
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

    @Override
    public void commitJob(JobContext context) throws IOException {
      Witness.look("commit job", context);
      super.commitJob(context);
    }

    @Override
    public void abortJob(JobContext context, JobStatus.State state) throws IOException {
      Witness.look("abort job", context);
      super.abortJob(context, state);
    }
  }

  /** Settings of a task that are not those of LocalJobRunner's. */
  private static final Set<String> DIFFERENT_SETTINGS =
      new TreeSet<>(
          Set.of(
              // who runs it, and what it calls the job and its directories
              "mapreduce.framework.name",
              "mapreduce.jobtracker.address",
              "mapreduce.job.id",
              "mapreduce.task.id",
              "mapreduce.task.attempt.id",
              "mapreduce.job.dir",
              "mapreduce.cluster.local.dir",
              // as on a cluster, where LocalJobRunner sets nothing
              "mapreduce.job.local.dir",
              "mapreduce.job.application.attempt.id",
              // how map outputs get to reduces
              "mapreduce.job.map.output.collector.class",
              "mapreduce.job.reduce.shuffle.consumer.plugin.class",
              // a task must neither end the process nor be silent for long
              "mapreduce.task.uberized",
              "mapreduce.task.progress-report.interval"));

  /** How a job reads. */
  private interface Input {
    void set(Job job) throws IOException;
  }

  private static org.apache.hadoop.fs.Path hadoop(Path path) {
    return new org.apache.hadoop.fs.Path(path.toUri());
  }

  private Job run(String framework, int reduces, Input input) throws Exception {
    Witness.forget();
    Configuration conf = new Configuration(jobs.conf());
    conf.set("mapreduce.framework.name", framework);
    conf.set("sluice.local.exchange", "pull");
    Job job = Job.getInstance(conf);
    job.setMapperClass(Mapping.class);
    job.setPartitionerClass(Partition.class);
    job.setSortComparatorClass(Order.class);
    job.setCombinerClass(Combine.class);
    job.setReducerClass(Reduce.class);
    job.setOutputFormatClass(Out.class);
    job.setOutputKeyClass(Text.class);
    job.setOutputValueClass(IntWritable.class);
    job.setNumReduceTasks(reduces);
    input.set(job);
    FileOutputFormat.setOutputPath(job, hadoop(directory.resolve("output")));
    assertTrue(job.waitForCompletion(false), job.getStatus().getFailureInfo());
    Witness.look("client", job.getConfiguration());
    Jobs.deleteOutput(directory.resolve("output"));
    return job;
  }

  private void assertSame(int reduces, Input input) throws Exception {
    run("local", reduces, input);
    Map<String, Set<String>> expected = Witness.seen();
    run("sluice", reduces, input);
    Witness.assertSees(expected, AS_ON_A_CLUSTER);
  }

  /** What the engine has from YARN's ApplicationMaster, and LocalJobRunner otherwise. */
  private static final Set<String> AS_ON_A_CLUSTER =
      Set.of(
          "committer(0)", // the job's committer is made with a context of the old API
          "committer(0).getProgressible", // and a reporter that reports to nobody
          "committer(0).getTaskAttemptID", // and an identifier of the old API
          "committer(0).getUser", // and settings that name the user
          "committer(0).getConfiguration.getUser",
          "splits(0).getJobID"); // a job has an identifier of the old API

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void aProgramOfTheNewApiSeesStocksClasses(int reduces) throws Exception {
    assertSame(
        reduces,
        job -> {
          job.setInputFormatClass(In.class);
          FileInputFormat.addInputPath(job, hadoop(directory.resolve("input")));
        });
  }

  @Test
  void severalInputsHaveTheirSplits() throws Exception {
    assertSame(
        1,
        job -> {
          MultipleInputs.addInputPath(
              job, hadoop(directory.resolve("input")), TextInputFormat.class, Mapping.class);
        });
  }

  @Test
  void combinedFilesHaveTheirSplits() throws Exception {
    assertSame(
        1,
        job -> {
          job.setInputFormatClass(CombineTextInputFormat.class);
          FileInputFormat.addInputPath(job, hadoop(directory.resolve("input")));
        });
  }

  @Test
  void theSettingsOfATaskDifferByName() throws Exception {
    Input input = job -> FileInputFormat.addInputPath(job, hadoop(directory.resolve("input")));
    run("local", 1, input);
    TreeMap<String, String> expected = new TreeMap<>(Witness.settings());
    run("sluice", 1, input);
    TreeMap<String, String> is = new TreeMap<>(Witness.settings());
    Set<String> differences = new TreeSet<>(expected.keySet());
    differences.addAll(is.keySet());
    differences.removeIf(name -> Objects.equals(expected.get(name), is.get(name)));
    assertEquals(DIFFERENT_SETTINGS, differences);
  }
}
