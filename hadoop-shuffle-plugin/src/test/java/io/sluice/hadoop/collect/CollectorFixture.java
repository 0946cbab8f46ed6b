package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.testing.MapSide;
import io.sluice.hadoop.testing.MapSide.Emitted;
import io.sluice.hadoop.testing.SluiceMapOutput;
import io.sluice.hadoop.testing.StockMapOutput;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.hadoop.testing.TestNode;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A node, a map task, and the comparison with what stock makes of the same records. */
abstract class CollectorFixture {
  @TempDir static Path nodeDirectory;
  static TestNode node;

  @TempDir Path taskDirectory;
  final Random random = TestSeed.random();
  final JobConf job = TestJob.conf();
  final MapSide ours = new MapSide(job, TestJob.map(3, 0));
  private long allocatedBytes;

  @BeforeAll
  static void startNode() throws IOException {
    node = TestNode.start(nodeDirectory, 96 << 20);
  }

  @AfterAll
  static void stopNode() throws IOException {
    node.close();
  }

  @BeforeEach
  void configure() {
    allocatedBytes = OffHeap.allocatedBytes();
    job.set(MRConfig.LOCAL_DIR, taskDirectory.toString());
    job.set("zlib.compress.level", "BEST_SPEED");
    job.setInt(MRJobConfig.IO_SORT_MB, 8);
    types(Text.class, BytesWritable.class);
    job.setNumReduceTasks(4);
  }

  @AfterEach
  void nothingLeaks() throws IOException {
    try {
      assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "off-heap memory");
      assertEquals(0, node.stats().memory().leasedBytes(), "leases");
    } finally {
      node.service().applicationStopped(TestJob.APPLICATION);
    }
    assertEquals(0, node.stats().memory().usedBytes(), "pool");
  }

  final void types(Class<?> key, Class<?> value) {
    job.setMapOutputKeyClass(key);
    job.setMapOutputValueClass(value);
  }

  final List<Emitted> records(int count, int maxKeyBytes, int maxValueBytes) {
    List<Emitted> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[random.nextInt(maxKeyBytes + 1)];
      byte[] value = new byte[random.nextInt(maxValueBytes + 1)];
      random.nextBytes(key);
      for (int at = 0; at < Math.min(value.length, 32); at++) {
        value[at] = (byte) random.nextInt();
      }
      records.add(
          new Emitted(
              new Text(key), new BytesWritable(value), random.nextInt(job.getNumReduceTasks())));
    }
    return records;
  }

  final CompressionCodec codec() {
    return job.getCompressMapOutput()
        ? ReflectionUtils.newInstance(job.getMapOutputCompressorClass(DefaultCodec.class), job)
        : null;
  }

  /** The same task as stock runs it, with a directory of its own. */
  final MapSide stock() {
    JobConf copy = new JobConf(job);
    copy.set(MRConfig.LOCAL_DIR, taskDirectory.resolve("stock").toString());
    return new MapSide(copy, TestJob.map(3, 0));
  }

  /** Runs both and compares; returns how many runs ours has. */
  final int assertAsStock(List<Emitted> records) throws Exception {
    MapSide stock = stock();
    stock.run(new MapTask.MapOutputBuffer<>(), records);
    ours.run(new SluiceMapOutputCollector<>(node.environment()), records);
    for (TaskCounter counter :
        List.of(
            TaskCounter.MAP_OUTPUT_RECORDS,
            TaskCounter.COMBINE_INPUT_RECORDS,
            TaskCounter.COMBINE_OUTPUT_RECORDS)) {
      assertEquals(
          stock.counter(counter).getValue(), ours.counter(counter).getValue(), counter.name());
    }
    int runs = 0;
    RawComparator<?> comparator = job.getOutputKeyComparator();
    for (int partition = 0; partition < job.getNumReduceTasks(); partition++) {
      List<Pair> expected = new ArrayList<>(StockMapOutput.read(stock, job, partition));
      List<Pair> actual = new ArrayList<>();
      for (List<Pair> run : SluiceMapOutput.read(node, ours.getTaskID(), partition, codec())) {
        assertSorted(run, comparator);
        actual.addAll(run);
        runs++;
      }
      expected.sort(null);
      actual.sort(null);
      assertEquals(expected, actual, "partition " + partition);
    }
    assertEquals(1.0f, ours.getSortPhase().get());
    assertEquals(runs, SluiceCounter.MAP_OUTPUT_RUNS.of(ours.reporter()).getValue());
    return runs;
  }

  private static void assertSorted(List<Pair> run, RawComparator<?> comparator) {
    for (int i = 1; i < run.size(); i++) {
      byte[] a = run.get(i - 1).key();
      byte[] b = run.get(i).key();
      assertTrue(comparator.compare(a, 0, a.length, b, 0, b.length) <= 0, "record " + i);
    }
  }

  final void compress(Class<?> codec) {
    if (CompressionCodec.class.isAssignableFrom(codec)) {
      job.setCompressMapOutput(true);
      job.setMapOutputCompressorClass(codec.asSubclass(CompressionCodec.class));
    }
  }
}
