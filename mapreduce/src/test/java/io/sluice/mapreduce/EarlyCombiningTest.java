package io.sluice.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.map.MapOutputStats;
import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.testing.LocalMap;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.mapreduce.testing.RunRecords;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.sort.ChunkSource;
import io.sluice.spill.store.Lease;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.IntFunction;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.WritableComparable;
import org.apache.hadoop.io.WritableComparator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapred.lib.LongSumReducer;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.Reducer;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Whatever a combiner does to the records of a window, what a map puts out adds up, by key, to what
 * it was given.
 */
@Timeout(120)
final class EarlyCombiningTest {
  private static final TaskAttemptID MAP =
      new TaskAttemptID(new TaskID(new JobID("1700000000000", 7), TaskType.MAP, 0), 0);
  private static final int PARTITIONS = 3;
  private static final int RECORDS = 150_000;

  @TempDir Path directory;
  private final Random random = TestSeed.random();
  private final JobConf job = new JobConf();
  private final List<Map<String, Long>> expected =
      List.of(new TreeMap<>(), new TreeMap<>(), new TreeMap<>());
  private LeakCheck leaks;
  private LocalStore store;
  private LocalMap map;

  @BeforeEach
  void open() throws IOException {
    leaks = new LeakCheck();
    store = LocalStore.inMemory(directory, 128 << 20);
    map = new LocalMap(MAP);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(LongWritable.class);
    job.setNumReduceTasks(PARTITIONS);
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    assertEquals(0, store.stats().memory().leasedBytes());
    store.close();
    leaks.check();
  }

  private void combineWith(Class<?> combiner) {
    job.setClass(MRJobConfig.COMBINE_CLASS_ATTR, combiner, Reducer.class);
  }

  private String word(int words) {
    return "k" + (int) Math.pow(words, random.nextDouble());
  }

  /** Collects records with keys made of their number; the partition is not that of the key. */
  private MapOutputStats collect(int count, IntFunction<String> keys) throws Exception {
    MapPlan<Text, LongWritable> plan = MapPlan.of(job, MAP, map.reporter());
    try (Lease lease = store.openLease();
        RecordCollector<Text, LongWritable> collector =
            new RecordCollector<>(plan, store.target(lease), ChunkSource.NONE)) {
      for (int i = 0; i < count; i++) {
        String key = keys.apply(i);
        long value = random.nextInt(100);
        int partition = random.nextInt(PARTITIONS);
        expected.get(partition).merge(key.toLowerCase(Locale.ROOT), value, Long::sum);
        collector.collect(new Text(key), new LongWritable(value), partition);
      }
      return collector.flush(LocalStore.output(MAP.toString()));
    }
  }

  /** Every run is in order, and all of them add up to what was collected. */
  private void assertSums() throws IOException {
    RawComparator<?> comparator = job.getOutputKeyComparator();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      Map<String, Long> sums = new TreeMap<>();
      for (MergeRun run : store.runs(LocalStore.output(MAP.toString()), partition, false)) {
        byte[] before = null;
        for (Pair pair : RunRecords.of(run.input())) {
          byte[] key = pair.key();
          assertTrue(
              before == null
                  || comparator.compare(before, 0, before.length, key, 0, key.length) <= 0);
          before = key;
          Text text = new Text();
          text.readFields(new DataInputStream(new ByteArrayInputStream(key)));
          long value = ByteBuffer.wrap(pair.value()).getLong();
          sums.merge(text.toString().toLowerCase(Locale.ROOT), value, Long::sum);
        }
      }
      assertEquals(expected.get(partition), sums, "partition " + partition);
    }
  }

  private long counter(TaskCounter counter) {
    return map.reporter().getCounter(counter).getValue();
  }

  /** A sum by the new API. */
  static class Sum extends Reducer<Text, LongWritable, Text, LongWritable> {
    @Override
    protected void reduce(Text key, Iterable<LongWritable> values, Context context)
        throws IOException, InterruptedException {
      long sum = 0;
      for (LongWritable value : values) {
        sum += value.get();
      }
      emit(key, sum, context);
    }

    void emit(Text key, long sum, Context context) throws IOException, InterruptedException {
      context.write(key, new LongWritable(sum));
    }
  }

  private void assertCombinedInOneSpill() throws Exception {
    MapOutputStats stats = collect(RECORDS, number -> word(2_000));
    assertEquals(PARTITIONS, stats.runs(), "one spill, as records were combined before the sort");
    assertSums();
    long groups = expected.stream().mapToLong(Map::size).sum();
    assertEquals(RECORDS, counter(TaskCounter.MAP_OUTPUT_RECORDS));
    assertEquals(RECORDS, counter(TaskCounter.COMBINE_INPUT_RECORDS));
    assertEquals(groups, counter(TaskCounter.COMBINE_OUTPUT_RECORDS));
    assertEquals(groups, counter(TaskCounter.SPILLED_RECORDS));
  }

  @Test
  void countersAreThoseOfOneCombination() throws Exception {
    combineWith(Sum.class);
    assertCombinedInOneSpill();
  }

  @Test
  void countersAreThoseOfOneCombinationInTheOldInterface() throws Exception {
    job.setCombinerClass(LongSumReducer.class);
    assertCombinedInOneSpill();
  }

  @Test
  void recordsThatDoNotBecomeFewerPass() throws Exception {
    combineWith(Sum.class);
    collect(RECORDS, number -> "key " + number);
    assertSums();
  }

  /** Upper case and lower case are equal. */
  static class AnyCase extends WritableComparator {
    AnyCase() {
      super(Text.class, true);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public int compare(WritableComparable one, WritableComparable other) {
      return one.toString().compareToIgnoreCase(other.toString());
    }
  }

  @Test
  void keysOfOtherBytesThatAreEqualAreCombinedTogether() throws Exception {
    job.setOutputKeyComparatorClass(AnyCase.class);
    combineWith(Sum.class);
    collect(RECORDS, number -> number % 2 == 0 ? word(500) : word(500).toUpperCase(Locale.ROOT));
    assertSums();
    long groups = expected.stream().mapToLong(Map::size).sum();
    assertEquals(groups, counter(TaskCounter.COMBINE_OUTPUT_RECORDS));
  }

  /** All under one key of its own, in another order than it got them. */
  static final class UnderOtherKeys extends Sum {
    @Override
    void emit(Text key, long sum, Context context) throws IOException, InterruptedException {
      String text = key.toString();
      super.emit(new Text(text.startsWith("z") ? text : "z" + (9 - text.length())), sum, context);
    }
  }

  @Test
  void aCombinerMayEmitOtherKeys() throws Exception {
    combineWith(UnderOtherKeys.class);
    collect(RECORDS, number -> word(2_000));
    for (Map<String, Long> sums : expected) {
      Map<String, Long> renamed = new TreeMap<>();
      sums.forEach((key, sum) -> renamed.merge("z" + (9 - key.length()), sum, Long::sum));
      sums.clear();
      sums.putAll(renamed);
    }
    assertSums();
  }

  /** And many records that say nothing. */
  static final class Talkative extends Sum {
    @Override
    void emit(Text key, long sum, Context context) throws IOException, InterruptedException {
      super.emit(key, sum, context);
      for (int i = 0; i < 150; i++) {
        super.emit(key, 0, context);
      }
    }
  }

  @Test
  void aCombinerMayEmitMoreThanTheSortBufferHolds() throws Exception {
    combineWith(Talkative.class);
    collect(RECORDS / 5, number -> word(3_000));
    assertSums();
  }

  /** Nothing at all. */
  static final class Silent extends Sum {
    @Override
    void emit(Text key, long sum, Context context) {}
  }

  @Test
  void aCombinerMayEmitNothing() throws Exception {
    combineWith(Silent.class);
    collect(RECORDS, number -> word(2_000));
    expected.forEach(Map::clear);
    assertSums();
  }

  @Test
  void recordsOfAllLengthsAreCombined() throws Exception {
    combineWith(Sum.class);
    collect(
        RECORDS / 10,
        number ->
            number == 7_000
                ? "x".repeat(5 << 20)
                : word(100) + "x".repeat(number % 500 == 0 ? random.nextInt(20_000) : 0));
    assertSums();
  }

  /** Fails, at a window or at a spill. */
  static final class Failing extends Sum {
    @Override
    void emit(Text key, long sum, Context context) {
      throw new IllegalStateException("the combiner fails");
    }
  }

  @Test
  void aCombinerThatFailsFailsTheMap() {
    combineWith(Failing.class);
    IOException e = assertThrows(IOException.class, () -> collect(RECORDS, number -> word(2_000)));
    assertEquals("Spill failed", e.getMessage());
    assertEquals("the combiner fails", e.getCause().getMessage());
  }
}
