package io.sluice.local.oracle;

import java.io.IOException;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.chain.ChainMapper;
import org.apache.hadoop.mapreduce.lib.chain.ChainReducer;
import org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat;
import org.apache.hadoop.mapreduce.lib.input.FileInputFormat;
import org.apache.hadoop.mapreduce.lib.input.MultipleInputs;
import org.apache.hadoop.mapreduce.lib.input.NLineInputFormat;
import org.apache.hadoop.mapreduce.lib.input.TextInputFormat;
import org.apache.hadoop.mapreduce.lib.map.MultithreadedMapper;
import org.apache.hadoop.mapreduce.lib.output.FileOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.LazyOutputFormat;
import org.apache.hadoop.mapreduce.lib.output.MultipleOutputs;
import org.apache.hadoop.mapreduce.lib.output.TextOutputFormat;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What jobs use of MapReduce's own library. */
@Tag("slow")
class LibrariesOracleTest extends OracleTestBase {
  @BeforeEach
  void write() throws IOException {
    inputs.files("lines", 3, 700, 100);
  }

  private Job digests(Configuration settings, int reduces) throws IOException {
    return Tasks.digests(inputs.job(settings, "lines"), reduces);
  }

  @Test
  void mapsOnly() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 0);
          job.setOutputValueClass(LongWritable.class);
          return job;
        },
        threads());
  }

  @Test
  void noSplits() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 3);
          job.setInputFormatClass(NoSplits.class);
          return job;
        },
        threads());
  }

  /** Finds nothing. */
  public static class NoSplits extends TextInputFormat {
    @Override
    public java.util.List<org.apache.hadoop.mapreduce.InputSplit> getSplits(
        org.apache.hadoop.mapreduce.JobContext job) {
      return java.util.List.of();
    }
  }

  @Test
  void aMapperOfSeveralThreads() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 3);
          job.setMapperClass(MultithreadedMapper.class);
          MultithreadedMapper.setMapperClass(job, Tasks.Pairs.class);
          MultithreadedMapper.setNumberOfThreads(job, 4);
          return job;
        },
        threads());
  }

  /** Writes a line to one of two outputs beside its job's own. */
  public static class Splits extends Reducer<Text, LongWritable, Text, NullWritable> {
    private MultipleOutputs<Text, NullWritable> outputs;

    @Override
    protected void setup(Context context) {
      outputs = new MultipleOutputs<>(context);
    }

    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      outputs.write(sum % 2 == 0 ? "even" : "odd", key, NullWritable.get());
    }

    @Override
    protected void cleanup(Context context) throws IOException, InterruptedException {
      outputs.close();
    }
  }

  @Test
  void severalOutputsAndNoneThatIsEmpty() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 3);
          job.setReducerClass(Splits.class);
          MultipleOutputs.setCountersEnabled(job, true);
          for (String name : new String[] {"even", "odd"}) {
            MultipleOutputs.addNamedOutput(
                job, name, TextOutputFormat.class, Text.class, NullWritable.class);
          }
          LazyOutputFormat.setOutputFormatClass(job, TextOutputFormat.class);
          return job;
        },
        threads());
  }

  /** Makes every key longer. */
  public static class Longer extends Mapper<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void map(Text key, LongWritable value, Context context)
        throws IOException, InterruptedException {
      context.write(new Text(key + "+"), value);
    }
  }

  @Test
  void chains() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 2);
          job.setOutputValueClass(LongWritable.class);
          Configuration none = new Configuration(false);
          ChainMapper.addMapper(
              job,
              Tasks.Pairs.class,
              LongWritable.class,
              Text.class,
              Text.class,
              LongWritable.class,
              none);
          ChainMapper.addMapper(
              job,
              Longer.class,
              Text.class,
              LongWritable.class,
              Text.class,
              LongWritable.class,
              none);
          ChainReducer.setReducer(
              job,
              Tasks.Sum.class,
              Text.class,
              LongWritable.class,
              Text.class,
              LongWritable.class,
              none);
          ChainReducer.addMapper(
              job,
              Longer.class,
              Text.class,
              LongWritable.class,
              Text.class,
              LongWritable.class,
              none);
          return job;
        },
        threads());
  }

  @Test
  void severalInputsWithMappersOfTheirOwn() throws Exception {
    inputs.files("others", 2, 300, 100);
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 3);
          String lines = job.getConfiguration().get(FileInputFormat.INPUT_DIR);
          MultipleInputs.addInputPath(
              job, new org.apache.hadoop.fs.Path(lines), TextInputFormat.class, Tasks.Pairs.class);
          MultipleInputs.addInputPath(
              job,
              new org.apache.hadoop.fs.Path(directory.resolve("others").toUri()),
              NLineInputFormat.class,
              Orders.Composite.class);
          NLineInputFormat.setNumLinesPerSplit(job, 100);
          return job;
        },
        threads());
  }

  @Test
  void manyFilesInOneSplit() throws Exception {
    oracle.sameAsStock(
        settings -> {
          Job job = digests(settings, 3);
          job.setInputFormatClass(CombineTextInputFormat.class);
          CombineTextInputFormat.setMaxInputSplitSize(job, 20_000);
          FileOutputFormat.setCompressOutput(job, true);
          return job;
        },
        threads());
  }
}
