package io.sluice.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import java.nio.file.Path;
import java.util.Iterator;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapred.FileInputFormat;
import org.apache.hadoop.mapred.FileOutputFormat;
import org.apache.hadoop.mapred.JobClient;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.Mapper;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapred.RunningJob;
import org.apache.hadoop.mapred.TextInputFormat;
import org.apache.hadoop.mapred.TextOutputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormatCounter;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormatCounter;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tasks of the old interface that ask for their formats, which are measured for Hadoop alone. */
@Timeout(300)
class OldFormatsTest {
  @TempDir private Path directory;

  /** The user's own. */
  public static class Lines extends TextInputFormat {}

  /** The user's own. */
  public static class Counts extends TextOutputFormat<Text, IntWritable> {}

  /** Fails unless it gets those of the job. */
  public static class Asks extends MapReduceBase {
    @Override
    public void configure(JobConf job) {
      for (int i = 0; i < 2; i++) {
        Lines lines = (Lines) job.getInputFormat();
        lines.configure(job);
        Counts counts = (Counts) job.getOutputFormat();
        assertTrue(counts != null);
      }
    }
  }

  /** Each word. */
  public static class Words extends Asks implements Mapper<LongWritable, Text, Text, IntWritable> {
    @Override
    public void map(
        LongWritable offset, Text line, OutputCollector<Text, IntWritable> out, Reporter reporter)
        throws java.io.IOException {
      for (String word : line.toString().split(" ")) {
        out.collect(new Text(word), new IntWritable(1));
      }
    }
  }

  /** How often. */
  public static class Sum extends Asks implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text word,
        Iterator<IntWritable> counts,
        OutputCollector<Text, IntWritable> out,
        Reporter reporter)
        throws java.io.IOException {
      int sum = 0;
      while (counts.hasNext()) {
        sum += counts.next().get();
      }
      out.collect(word, new IntWritable(sum));
    }
  }

  private RunningJob run(Jobs jobs, String framework, int reduces) throws Exception {
    JobConf conf = new JobConf(jobs.conf());
    conf.set("mapreduce.framework.name", framework);
    conf.setInputFormat(Lines.class);
    conf.setOutputFormat(Counts.class);
    conf.setMapperClass(Words.class);
    conf.setReducerClass(Sum.class);
    conf.setOutputKeyClass(Text.class);
    conf.setOutputValueClass(IntWritable.class);
    conf.setNumReduceTasks(reduces);
    FileInputFormat.setInputPaths(
        conf, new org.apache.hadoop.fs.Path(directory.resolve("input").toUri()));
    FileOutputFormat.setOutputPath(
        conf, new org.apache.hadoop.fs.Path(jobs.output(framework).toUri()));
    return JobClient.runJob(conf);
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 2})
  void theUserGetsHisOwnAndTheBytesAreCounted(int reduces) throws Exception {
    Jobs jobs = new Jobs(directory);
    jobs.writeWords(TestSeed.random(), 2, 500);
    RunningJob stock = run(jobs, "local", reduces);
    RunningJob ours = run(jobs, "sluice", reduces);
    assertEquals(Jobs.contents(jobs.output("local")), Jobs.contents(jobs.output("sluice")));
    for (Enum<?> each :
        new Enum<?>[] {FileInputFormatCounter.BYTES_READ, FileOutputFormatCounter.BYTES_WRITTEN}) {
      long expected = stock.getCounters().getCounter(each);
      assertTrue(expected > 0, each.name());
      assertEquals(expected, ours.getCounters().getCounter(each), each.name());
    }
    Leftovers.none(jobs.conf(), directory.resolve("tmp"));
  }
}
