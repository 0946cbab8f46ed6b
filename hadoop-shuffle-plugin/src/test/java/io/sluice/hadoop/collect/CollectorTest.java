package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.testing.LeaseCountingComparator;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.mapreduce.testing.HeaderCodec;
import io.sluice.mapreduce.testing.UnpooledCodec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.fs.CommonConfigurationKeys;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DoubleWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.io.LongWritable;
import org.apache.hadoop.io.NullWritable;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.BZip2Codec;
import org.apache.hadoop.io.compress.CodecPool;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.GzipCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The same records through stock's collector and ours: the same output, the same counters. */
final class CollectorTest extends CollectorFixture {
  private void assertCounter(TaskCounter counter, MapSide stock) {
    assertEquals(stock.counter(counter).getValue(), ours.counter(counter).getValue());
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 7, 3000})
  void anyNumberOfPartitions(int partitions) throws Exception {
    job.setNumReduceTasks(partitions);
    assertAsStock(records(5000, 40, 100));
  }

  @Test
  void noRecordsAtAll() throws Exception {
    assertEquals(0, assertAsStock(List.of()));
    assertEquals(0, ours.counter(TaskCounter.SPILLED_RECORDS).getValue());
  }

  /**
   * Stock asks for the size of a file when a map ends, and warns with a stack trace if it has none.
   */
  @Test
  void taskFindsAFileWhereItLooksForTheSizeOfItsOutput() throws Exception {
    try (LogLines log = new LogLines()) {
      ours.run(new SluiceMapOutputCollector<>(node.environment()), records(1000, 20, 100));
      assertEquals(0, ours.reportedOutputBytes());
      assertEquals(List.of(), log.with("WARN"));
    }
    // Nobody could take it for a map output: a ShuffleHandler reads the index first.
    assertThrows(IOException.class, () -> ours.getMapOutputFile().getOutputIndexFile());
  }

  @Test
  void emptyKeysAndValues() throws Exception {
    types(NullWritable.class, NullWritable.class);
    List<Emitted> records = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      records.add(new Emitted(NullWritable.get(), NullWritable.get(), i % 3));
    }
    assertEquals(3, assertAsStock(records));
  }

  @Test
  void countersOfOneSpillAreStocks() throws Exception {
    List<Emitted> records = records(3000, 20, 200);
    MapSide stock = stock();
    stock.run(new MapTask.MapOutputBuffer<>(), records);
    ours.run(new SluiceMapOutputCollector<>(node.environment()), records);
    for (TaskCounter counter :
        List.of(
            TaskCounter.MAP_OUTPUT_RECORDS,
            TaskCounter.MAP_OUTPUT_BYTES,
            TaskCounter.SPILLED_RECORDS,
            TaskCounter.COMBINE_INPUT_RECORDS)) {
      assertCounter(counter, stock);
    }
    // Stock has four bytes of checksum more for each of the four partitions.
    assertEquals(
        stock.counter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).getValue() - 16,
        ours.counter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).getValue());
  }

  @Test
  void severalSpillsAreServedAsTheyAre() throws Exception {
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    int runs = assertAsStock(records(6000, 20, 4000));
    assertTrue(runs > 8, runs + " runs of 4 partitions");
    assertEquals(
        6000, ours.counter(TaskCounter.SPILLED_RECORDS).getValue(), "each is written once");
  }

  @ParameterizedTest
  @ValueSource(classes = {Void.class, DefaultCodec.class, HeaderCodec.class})
  void tooManySpillsAreMerged(Class<?> codec) throws Exception {
    compress(codec);
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    job.setInt(MRJobConfig.IO_SORT_FACTOR, 3);
    assertEquals(4, assertAsStock(records(8000, 20, 4000)), "one run per partition");
    assertEquals(
        16_000, ours.counter(TaskCounter.SPILLED_RECORDS).getValue(), "each is written twice");
  }

  /** A codec with 72 MiB of buffers leaves room for two runs. */
  @ParameterizedTest
  @CsvSource({"3, 2", "10, 2", "10, 1"})
  void mergesInRoundsWhatItsMemoryDoesNotHoldAtOnce(int spills, int partitions) throws Exception {
    job.setInt(CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_KEY, 24 << 20);
    compress(SnappyCodec.class);
    job.setNumReduceTasks(partitions);
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    job.setInt(MRJobConfig.IO_SORT_FACTOR, 2);
    int runs = assertAsStock(records(spills * 2000, 20, 4000));
    assertEquals(partitions, runs, "one run for each partition");
    assertEquals(0, CodecPool.getLeasedDecompressorsCount(codec()));
    assertTrue(
        ours.counter(TaskCounter.SPILLED_RECORDS).getValue() > spills * 2000 * 2,
        "what rounds write counts, as with stock");
  }

  @Test
  void roundsOfAMapShareACompressorAndADecompressor() throws Exception {
    job.setInt(CommonConfigurationKeys.IO_COMPRESSION_CODEC_SNAPPY_BUFFERSIZE_KEY, 24 << 20);
    compress(SnappyCodec.class);
    job.setOutputKeyComparatorClass(LeaseCountingComparator.class);
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    job.setInt(MRJobConfig.IO_SORT_FACTOR, 2);
    LeaseCountingComparator.watch(codec());
    ours.run(new SluiceMapOutputCollector<>(node.environment()), records(6000, 20, 4000));
    assertTrue(ours.counter(TaskCounter.SPILLED_RECORDS).getValue() > 12_000, "rounds");
    assertEquals(1, LeaseCountingComparator.most());
    assertEquals(1, LeaseCountingComparator.mostCompressors());
    assertEquals(0, CodecPool.getLeasedDecompressorsCount(codec()));
    assertEquals(0, CodecPool.getLeasedCompressorsCount(codec()));
  }

  @ParameterizedTest
  @ValueSource(
      classes = {DefaultCodec.class, GzipCodec.class, BZip2Codec.class, UnpooledCodec.class})
  void compressed(Class<?> codec) throws Exception {
    compress(codec);
    types(Text.class, IntWritable.class);
    List<Emitted> records = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      records.add(
          new Emitted(
              new Text("word" + random.nextInt(100)), new IntWritable(i), random.nextInt(3)));
    }
    assertEquals(3, assertAsStock(records));
    assertTrue(
        ours.counter(TaskCounter.MAP_OUTPUT_MATERIALIZED_BYTES).getValue()
            < ours.counter(TaskCounter.MAP_OUTPUT_BYTES).getValue(),
        "it is compressed");
  }

  @Test
  void recordsLargerThanTheSortBuffer() throws Exception {
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    List<Emitted> records = records(2000, 20, 100);
    for (int length : new int[] {3 << 20, 5 << 20}) {
      byte[] value = new byte[length];
      random.nextBytes(value);
      int at = random.nextInt(records.size());
      records.add(at, new Emitted(new Text("large" + length), new BytesWritable(value), 2));
    }
    assertAsStock(records);
  }

  /** One too large for the buffer, or several, anywhere: the others fill their runs as ever. */
  @ParameterizedTest
  @CsvSource({"0, 5", "7500, 5", "15000, 5", "0 7500 7501 15000, 8"})
  void largeRecordsLeaveTheOthersTheirBuffer(String places, int runs) throws Exception {
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    job.setInt(MRJobConfig.IO_SORT_FACTOR, 100);
    List<Emitted> records = records(15_000, 20, 100);
    String[] at = places.split(" ");
    for (int i = at.length - 1; i >= 0; i--) {
      BytesWritable value = new BytesWritable(new byte[5 << 20]);
      records.add(Integer.parseInt(at[i]), new Emitted(new Text("large" + i), value, 2));
    }
    assertEquals(runs, assertAsStock(records), "one of each partition, one of each large record");
  }

  @Test
  void numbersAsKeys() throws Exception {
    types(LongWritable.class, IntWritable.class);
    List<Emitted> records = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      records.add(new Emitted(new LongWritable(random.nextLong()), new IntWritable(i), i % 4));
    }
    assertAsStock(records);
  }

  @Test
  void keysThatOnlyTheirComparatorCanOrder() throws Exception {
    types(DoubleWritable.class, IntWritable.class);
    List<Emitted> records = new ArrayList<>();
    for (int i = 0; i < 5000; i++) {
      records.add(
          new Emitted(new DoubleWritable(random.nextGaussian()), new IntWritable(i), i % 4));
    }
    assertAsStock(records);
  }

  @Test
  void comparatorOfTheJob() throws Exception {
    job.setOutputKeyComparatorClass(LongWritable.DecreasingComparator.class);
    numbersAsKeys();
  }

  /** Writes that go one byte at a time, and through every method of a data output. */
  @Test
  void serializersMayWriteAsTheyLike() throws Exception {
    types(Text.class, Talkative.class);
    List<Emitted> records = new ArrayList<>();
    for (int i = 0; i < 1000; i++) {
      Writable value = new Talkative(random.nextInt());
      records.add(new Emitted(new Text("" + random.nextInt(50)), value, i % 4));
    }
    assertAsStock(records);
  }
}
