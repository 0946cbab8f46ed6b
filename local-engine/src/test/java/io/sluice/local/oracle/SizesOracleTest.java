package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.mapreduce.Job;
import org.apache.hadoop.mapreduce.Mapper;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large records, and many of what there are few else. */
@Tag("slow")
class SizesOracleTest extends OracleTestBase {
  private static final String VALUE_BYTES = "test.value-bytes";

  /** Values of so many bytes. */
  public static class LargeValues extends Mapper<LongWritable, Text, Text, BytesWritable> {
    @Override
    protected void map(LongWritable offset, Text line, Context context)
        throws IOException, InterruptedException {
      byte[] bytes = new byte[context.getConfiguration().getInt(VALUE_BYTES, 0)];
      for (int i = 0; i < bytes.length; i += 64) {
        bytes[i] = (byte) (i >> 6);
      }
      context.write(new Text(line.toString()), new BytesWritable(bytes));
    }
  }

  /** Each of its tasks takes some milliseconds of a processor, of which it may have a part. */
  private static final long CAMPAIGN_S = 1_500;

  /** Their lengths, and what is in them. */
  public static class Checks extends Reducer<Text, BytesWritable, Text, NullWritable> {
    @Override
    protected void reduce(Text key, Iterable<BytesWritable> values, Context context)
        throws IOException, InterruptedException {
      for (BytesWritable value : values) {
        context.write(
            new Text(key + " " + value.getLength() + " " + value.hashCode()), NullWritable.get());
      }
    }
  }

  private void largeRecords(int lengthBytes) throws Exception {
    inputs.files("lines", 2, 2, 3);
    Oracle.Program program =
        settings -> {
          settings.setInt(VALUE_BYTES, lengthBytes);
          Job job = Tasks.digests(inputs.job(settings, "lines"), 2);
          job.setMapperClass(LargeValues.class);
          job.setReducerClass(Checks.class);
          job.setMapOutputValueClass(BytesWritable.class);
          return job;
        };
    // Of a record that its sort buffer does not take, stock counts the framing too.
    sameOutput(oracle.stock(program), program);
  }

  private void sameOutput(Oracle.Ran stock, Oracle.Program program) throws Exception {
    for (String exchange : Oracle.EXCHANGES) {
      Job job = oracle.ours(program, exchange, threads());
      assertEquals(stock.output(), oracle.succeeded(oracle.run(job)).output(), exchange);
    }
  }

  @Test
  void recordsThatAreLargerThanASegmentOfTheStore() throws Exception {
    largeRecords(20_000_000);
  }

  @Test
  @Tag("campaign")
  void recordsOfAHundredMegabytes() throws Exception {
    largeRecords(100_000_000);
  }

  private void smallSortBuffer(int files, boolean combines) throws Exception {
    oracle.conf().setInt("mapreduce.task.io.sort.mb", 1);
    inputs.files("lines", files, 150_000, 20_000);
    Oracle.Program program =
        settings -> {
          Job job = inputs.job(settings, "lines");
          return combines ? Tasks.sums(job, 3) : Tasks.digests(job, 3);
        };
    if (combines) { // again where spills are merged, which are fewer than stock's
      sameOutput(oracle.stock(program), program);
    } else {
      oracle.sameAsStock(program, threads());
    }
  }

  @Test
  void aSmallSortBufferSpillsOften() throws Exception {
    smallSortBuffer(1, false);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("campaign")
  void smallSortBuffersSpillOftenAndMergeInRounds(boolean combines) throws Exception {
    oracle.conf().setInt("mapreduce.task.io.sort.factor", 3);
    smallSortBuffer(4, combines);
  }

  private Job digests(Configuration settings, int reduces) throws IOException {
    return Tasks.digests(inputs.job(settings, "lines"), reduces);
  }

  private void manyMaps(int maps) throws Exception {
    inputs.files("lines", maps, 2, 50);
    oracle.sameAsStock(settings -> digests(settings, 3), threads());
  }

  @Test
  void aHundredMaps() throws Exception {
    manyMaps(100);
  }

  @Test
  @Tag("campaign")
  void twoThousandMaps() throws Exception {
    manyMaps(2_000);
  }

  /** With as many maps stock takes minutes; what it puts out does not depend on their number. */
  @Test
  @Tag("campaign")
  @Timeout(value = CAMPAIGN_S, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void tenThousandFiles() throws Exception {
    inputs.files("lines", 10_000, 1, 50);
    Oracle.Ran stock =
        oracle.stock(
            settings -> {
              Job job = digests(settings, 3);
              job.setInputFormatClass(CombineTextInputFormat.class);
              return job;
            });
    sameOutput(stock, settings -> digests(settings, 3));
  }

  private static List<String> sortedLines(TreeMap<String, String> output) {
    List<String> lines = new ArrayList<>();
    output.values().forEach(text -> text.lines().forEach(lines::add));
    lines.sort(null);
    return lines;
  }

  private void manyReduces(int reduces, List<String> exchanges) throws Exception {
    inputs.files("lines", 3, 5_000, 4_000);
    Oracle.Ran stock = oracle.stock(settings -> digests(settings, 1));
    for (String exchange : exchanges) {
      Job job = oracle.ours(settings -> digests(settings, reduces), exchange, 8);
      assertEquals(
          sortedLines(stock.output()),
          sortedLines(oracle.succeeded(oracle.run(job)).output()),
          exchange);
    }
  }

  @Test
  @Tag("campaign")
  void threeHundredReduces() throws Exception {
    manyReduces(300, Oracle.EXCHANGES);
  }

  /** To so many nothing is pushed. */
  @Test
  @Tag("campaign")
  @Timeout(value = CAMPAIGN_S, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void twentyThousandReduces() throws Exception {
    manyReduces(20_000, List.of("pull", "hybrid"));
  }
}
