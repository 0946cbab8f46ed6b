package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.hadoop.testing.SluiceMapOutput;
import io.sluice.mapreduce.testing.Pair;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.VIntWritable;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapReduceBase;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.OutputCollector;
import org.apache.hadoop.mapred.Reducer;
import org.apache.hadoop.mapred.Reporter;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.lib.reduce.IntSumReducer;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Combiners of both APIs, in a single spill as stock has it, in many by the sums they leave. */
final class CombinerTest extends CollectorFixture {
  /** Sums in the old API. */
  public static final class OldSum extends MapReduceBase
      implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> output,
        Reporter reporter)
        throws IOException {
      int sum = 0;
      while (values.hasNext()) {
        sum += values.next().get();
      }
      output.collect(key, new IntWritable(sum));
    }
  }

  /** Emits nothing, for half of the keys. */
  public static final class Forgetful extends MapReduceBase
      implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> output,
        Reporter reporter)
        throws IOException {
      if (key.charAt(key.getLength() - 1) % 2 == 0) {
        output.collect(key, values.next());
      }
    }
  }

  /** Breaks down. */
  public static final class Failing extends MapReduceBase
      implements Reducer<Text, IntWritable, Text, IntWritable> {
    @Override
    public void reduce(
        Text key,
        Iterator<IntWritable> values,
        OutputCollector<Text, IntWritable> output,
        Reporter reporter)
        throws IOException {
      output.collect(key, values.next());
      throw new IOException("the user's fault");
    }
  }

  /** Emits other classes than the map, in the old API; a value unless told to emit a key. */
  @SuppressWarnings({"rawtypes", "unchecked"})
  public static final class OldMisfit extends MapReduceBase implements Reducer {
    private boolean key;

    @Override
    public void configure(JobConf job) {
      key = job.getBoolean("misfit.key", false);
    }

    @Override
    public void reduce(Object word, Iterator values, OutputCollector output, Reporter reporter)
        throws IOException {
      if (key) {
        output.collect(new IntWritable(1), values.next());
      } else {
        output.collect(word, new VIntWritable(1));
      }
    }
  }

  /** The same in the new API. */
  @SuppressWarnings({"rawtypes", "unchecked"})
  public static final class NewMisfit extends org.apache.hadoop.mapreduce.Reducer {
    @Override
    protected void reduce(Object word, Iterable values, Context context)
        throws IOException, InterruptedException {
      if (context.getConfiguration().getBoolean("misfit.key", false)) {
        context.write(new IntWritable(1), values.iterator().next());
      } else {
        context.write(word, new VIntWritable(1));
      }
    }
  }

  /** Groups by the first byte of the word. */
  public static final class FirstByte implements RawComparator<Text> {
    @Override
    public int compare(byte[] a, int aOff, int aLen, byte[] b, int bOff, int bLen) {
      return WritableComparator.compareBytes(
          a, aOff + 1, Math.min(1, aLen - 1), b, bOff + 1, Math.min(1, bLen - 1));
    }

    @Override
    public int compare(Text a, Text b) {
      return Integer.compare(a.charAt(0), b.charAt(0));
    }
  }

  @BeforeEach
  void countWords() {
    types(Text.class, IntWritable.class);
    job.setNumReduceTasks(3);
  }

  private void combiner(String api) {
    if (api.equals("old")) {
      job.setCombinerClass(OldSum.class);
    } else {
      job.setClass(
          MRJobConfig.COMBINE_CLASS_ATTR,
          IntSumReducer.class,
          org.apache.hadoop.mapreduce.Reducer.class);
    }
  }

  private List<Emitted> words(int count, int different) {
    List<Emitted> words = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      int word = random.nextInt(different);
      words.add(
          new Emitted(
              new Text("a word like any other, but number " + word), new IntWritable(1), word % 3));
    }
    return words;
  }

  @ParameterizedTest
  @ValueSource(strings = {"old", "new"})
  void singleSpillIsAsStocks(String api) throws Exception {
    combiner(api);
    assertEquals(3, assertAsStock(words(20_000, 500)));
    assertEquals(20_000, ours.counter(TaskCounter.COMBINE_INPUT_RECORDS).getValue());
    assertEquals(500, ours.counter(TaskCounter.COMBINE_OUTPUT_RECORDS).getValue());
    assertEquals(500, ours.counter(TaskCounter.SPILLED_RECORDS).getValue());
  }

  @Test
  void combinerWithItsOwnGrouping() throws Exception {
    combiner("old");
    job.setCombinerKeyGroupingComparator(FirstByte.class);
    assertAsStock(words(5000, 500));
  }

  @Test
  void combinerThatEmitsNothing() throws Exception {
    job.setCombinerClass(Forgetful.class);
    assertAsStock(words(5000, 2));
  }

  @ParameterizedTest
  @CsvSource({"old, 3, 1", "new, 3, 1", "old, 1000, 3"})
  void manySpillsLeaveTheSameSums(String api, int minSpills, int leastRunsPerPartition)
      throws Exception {
    combiner(api);
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    job.setInt(MRJobConfig.MAP_COMBINE_MIN_SPILLS, minSpills);
    List<Emitted> words = words(200_000, 1000);
    ours.run(new SluiceMapOutputCollector<>(node.environment()), words);
    Map<String, Integer> expected = new HashMap<>();
    words.forEach(word -> expected.merge(word.key().toString(), 1, Integer::sum));
    Map<String, Integer> actual = new HashMap<>();
    for (int partition = 0; partition < 3; partition++) {
      List<List<Pair>> runs = SluiceMapOutput.read(node, ours.getTaskID(), partition, null);
      assertTrue(runs.size() >= leastRunsPerPartition, runs.size() + " runs");
      assertTrue(leastRunsPerPartition > 1 || runs.size() == 1, runs.size() + " runs");
      for (List<Pair> run : runs) {
        for (Pair pair : run) {
          String word = new String(pair.key(), 1, pair.key().length - 1);
          actual.merge(word, ByteBuffer.wrap(pair.value()).getInt(), Integer::sum);
        }
      }
    }
    assertEquals(expected, actual);
    long spilled = ours.counter(TaskCounter.SPILLED_RECORDS).getValue();
    assertEquals(ours.counter(TaskCounter.COMBINE_OUTPUT_RECORDS).getValue(), spilled);
  }

  /** A word that the sort buffer cannot hold leaves the others theirs, and is combined itself. */
  @Test
  void largeRecordIsOneSpillMore() throws Exception {
    combiner("old");
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    Text large = new Text("w".repeat(5 << 20));
    List<Emitted> words = words(20_000, 500);
    for (int at : new int[] {0, 10_000, 20_002}) {
      words.add(at, new Emitted(large, new IntWritable(1), 1));
    }
    ours.run(new SluiceMapOutputCollector<>(node.environment()), words);
    assertEquals(20_000 + 500 + 3, ours.counter(TaskCounter.COMBINE_INPUT_RECORDS).getValue());
    assertEquals(500 + 501, ours.counter(TaskCounter.COMBINE_OUTPUT_RECORDS).getValue());
    List<Pair> combined = SluiceMapOutput.read(node, ours.getTaskID(), 1, null).get(0);
    assertEquals(3, ByteBuffer.wrap(combined.get(combined.size() - 1).value()).getInt());
  }

  @ParameterizedTest
  @CsvSource({"old, true", "old, false", "new, true", "new, false"})
  void otherClassesThanTheMapsFailAsStocks(String api, boolean key) {
    if (api.equals("old")) {
      job.setCombinerClass(OldMisfit.class);
    } else {
      job.setClass(
          MRJobConfig.COMBINE_CLASS_ATTR,
          NewMisfit.class,
          org.apache.hadoop.mapreduce.Reducer.class);
    }
    job.setBoolean("misfit.key", key);
    List<Emitted> words = words(1000, 10);
    IOException expected =
        assertThrows(IOException.class, () -> stock().run(new MapTask.MapOutputBuffer<>(), words));
    IOException actual =
        assertThrows(
            IOException.class,
            () -> ours.run(new SluiceMapOutputCollector<>(node.environment()), words));
    assertTrue(expected.getMessage().startsWith("wrong " + (key ? "key" : "value") + " class: "));
    assertEquals(expected.getMessage(), actual.getMessage());
  }

  /** A mapper may catch what a write throws, and then go on; its records must not be lost so. */
  @Test
  void failedSpillStaysFailedAsStocks() throws Exception {
    job.setCombinerClass(Failing.class);
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    List<Emitted> words = words(80_000, 1000);
    String expected = stubborn(stock(), new MapTask.MapOutputBuffer<>(), words);
    String actual = stubborn(ours, new SluiceMapOutputCollector<>(node.environment()), words);
    assertEquals("Spill failed", expected);
    assertEquals(expected, actual);
    assertThrows(
        Exception.class, () -> SluiceMapOutput.read(node, ours.getTaskID(), 0, null).get(0));
  }

  /** A mapper that ignores what goes wrong; returns what the task fails with in the end. */
  private static String stubborn(
      MapSide task, MapOutputCollector<Writable, Writable> collector, List<Emitted> words)
      throws Exception {
    Set<String> failures = new HashSet<>();
    try (AutoCloseable closing = collector::close) {
      collector.init(task.context());
      for (Emitted word : words) {
        try {
          collector.collect(word.key(), word.value(), word.partition());
        } catch (IOException e) {
          failures.add(e.getMessage());
        }
      }
      assertEquals(Set.of("Spill failed"), failures, "of collect, before " + closing);
      return assertThrows(IOException.class, collector::flush).getMessage();
    }
  }

  @Test
  void failureOfTheCombinerPassesThrough() {
    job.setCombinerClass(Failing.class);
    IOException e =
        assertThrows(
            IOException.class,
            () -> ours.run(new SluiceMapOutputCollector<>(node.environment()), words(1000, 10)));
    assertEquals("the user's fault", e.getMessage());
  }
}
