package io.sluice.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.map.RecordCollector.MapOutputStats;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.merge.RecordIterator;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.stage.LeasedStage;
import io.sluice.mapreduce.testing.Codecs;
import io.sluice.mapreduce.testing.FewWindows;
import io.sluice.mapreduce.testing.LocalMap;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.ReceivedExtents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.DataOutputBuffer;
import org.apache.hadoop.io.RawComparator;
import org.apache.hadoop.io.Text;
import org.apache.hadoop.io.Writable;
import org.apache.hadoop.io.compress.CompressionCodec;
import org.apache.hadoop.io.compress.Compressor;
import org.apache.hadoop.io.compress.DefaultCodec;
import org.apache.hadoop.io.compress.SnappyCodec;
import org.apache.hadoop.io.compress.zlib.BuiltInZlibDeflater;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;
import org.apache.hadoop.util.ReflectionUtils;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A whole job in one process: maps collect into leases of a store, reduces merge what is committed
 * there, and no service is asked. The oracle is a sort.
 */
@Timeout(300)
@Tag("slow")
final class LocalLeaseTest {
  private static final int MAPS = 3;
  private static final int PARTITIONS = 4;
  private static final int RECORDS = 15_000;
  private static final int MAX_RUNS_AT_ONCE = 4;

  @TempDir Path directory;
  private final JobConf job = new JobConf();
  private final Random random = TestSeed.random();
  private final List<List<Pair>> expected = new ArrayList<>();
  private long allocatedBytes;
  private ShuffleKey key;
  private LocalStore store;

  @BeforeEach
  void open() throws IOException {
    allocatedBytes = OffHeap.allocatedBytes();
    store = LocalStore.inMemory(directory, 96 << 20);
    job.setMapOutputKeyClass(Text.class);
    job.setMapOutputValueClass(Text.class);
    job.setNumReduceTasks(PARTITIONS);
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
    for (int partition = 0; partition < PARTITIONS; partition++) {
      expected.add(new ArrayList<>());
    }
  }

  @AfterEach
  void nothingLeaks() throws IOException {
    assertEquals(0, store.stats().memory().leasedBytes(), "leases");
    store.store().freeApplication(LocalStore.APPLICATION);
    assertEquals(0, store.stats().memory().usedBytes(), "pool");
    store.close();
    assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "off-heap memory");
  }

  private static TaskAttemptID map(int number) {
    return new TaskAttemptID(new TaskID(new JobID("1700000000000", 7), TaskType.MAP, number), 0);
  }

  private MapOutputStats collect(TaskAttemptID map) throws Exception {
    LocalMap task = new LocalMap(map);
    MapPlan<Text, Text> plan =
        key == null
            ? MapPlan.of(job, map, task.reporter(), TaskMemory.alone())
            : MapPlan.encrypted(
                job,
                map,
                task.reporter(),
                TaskMemory.alone(),
                () -> key.newOutput(LocalStore.output(map.toString()), PARTITIONS));
    try (Lease lease = store.openLease();
        RecordCollector<Text, Text> collector =
            new RecordCollector<>(
                plan, store.target(lease), ChunkMemory.DIRECT, ChunkSource.NONE)) {
      for (int i = 0; i < RECORDS; i++) {
        Text key = new Text("key " + random.nextInt(5000));
        Text value = new Text(new byte[random.nextInt(2000)]);
        int partition = random.nextInt(PARTITIONS);
        expected.get(partition).add(new Pair(serialized(key), serialized(value)));
        collector.collect(key, value, partition);
      }
      return collector.flush(LocalStore.output(map.toString()));
    }
  }

  private static byte[] serialized(Writable writable) throws IOException {
    DataOutputBuffer out = new DataOutputBuffer();
    writable.write(out);
    return Arrays.copyOf(out.getData(), out.getLength());
  }

  private List<Pair> reduce(int partition, CompressionCodec codec, JobConf reduceJob)
      throws IOException {
    List<MergeRun> runs = new ArrayList<>();
    for (int map = 0; map < MAPS; map++) {
      runs.addAll(store.runs(LocalStore.output(map(map).toString()), partition, codec, key));
    }
    assertTrue(runs.size() > MAX_RUNS_AT_ONCE, runs.size() + " runs want no rounds");
    try (Lease lease = store.openLease();
        OutputKey stageKey = key == null ? null : key.newScratch();
        LeasedStage stage =
            new LeasedStage(
                new ReceivedExtents(lease, () -> true), store::target, 64 << 10, stageKey)) {
      ReduceMerge merge =
          new ReduceMerge(
              new FewWindows(MAX_RUNS_AT_ONCE),
              stage,
              codec,
              KeyOrders.of(reduceJob),
              () -> {},
              new MergeMemory(codec, reduceJob, key != null, TaskMemory.alone()));
      RecordIterator records = RecordIterator.of(merge.merge(runs), new Progress());
      List<Pair> result = drain(records);
      records.close();
      assertTrue(merge.rounds() > 0);
      return result;
    }
  }

  private static List<Pair> drain(RecordIterator records) throws IOException {
    List<Pair> result = new ArrayList<>();
    while (records.next()) {
      result.add(new Pair(rest(records.getKey()), rest(records.getValue())));
    }
    return result;
  }

  private static byte[] rest(DataInputBuffer buffer) {
    return Arrays.copyOfRange(buffer.getData(), buffer.getPosition(), buffer.getLength());
  }

  @ParameterizedTest
  @CsvSource({
    ", false",
    "org.apache.hadoop.io.compress.DefaultCodec, false",
    "io.sluice.mapreduce.testing.HeaderCodec, false",
    ", true",
    "org.apache.hadoop.io.compress.DefaultCodec, true",
    "io.sluice.mapreduce.testing.HeaderCodec, true"
  })
  void aJobInOneProcess(Class<? extends CompressionCodec> compressed, boolean encrypted)
      throws Exception {
    if (encrypted) {
      key = new ShuffleKey(new byte[20], LocalStore.APPLICATION, 128);
    }
    assertMerges(compressed, job);
  }

  /** As where a file of the node has a final value, or an input format has set it for itself. */
  @ParameterizedTest
  @CsvSource({"2, 1000", "32, 1000", "1000, 2"}) // streams, long chunks, short ones
  void mapsAndReducesMaySeeOtherNumbersOfMaps(int byMaps, int byReduces) throws Exception {
    job.setNumMapTasks(byMaps);
    JobConf reduceJob = new JobConf(job);
    reduceJob.setNumMapTasks(byReduces);
    key = new ShuffleKey(new byte[20], LocalStore.APPLICATION, 128);
    assertMerges(SnappyCodec.class, reduceJob);
  }

  private void assertMerges(Class<? extends CompressionCodec> compressed, JobConf reduceJob)
      throws Exception {
    CompressionCodec codec = null;
    if (compressed != null) {
      job.setCompressMapOutput(true);
      job.setMapOutputCompressorClass(compressed);
      codec = ReflectionUtils.newInstance(compressed, job);
    }
    for (int map = 0; map < MAPS; map++) {
      MapOutputStats stats = collect(map(map));
      assertTrue(stats.runs() > PARTITIONS, stats + " spilled but once");
    }
    RawComparator<?> comparator = job.getOutputKeyComparator();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<Pair> actual = reduce(partition, codec, reduceJob);
      for (int i = 1; i < actual.size(); i++) {
        byte[] a = actual.get(i - 1).key();
        byte[] b = actual.get(i).key();
        assertTrue(comparator.compare(a, 0, a.length, b, 0, b.length) <= 0, "record " + i);
      }
      actual.sort(null);
      expected.get(partition).sort(null);
      assertEquals(expected.get(partition), actual, "partition " + partition);
    }
  }

  @Test
  void anOutputThatCannotBeBegunGivesItsCompressorBack() throws Exception {
    job.setCompressMapOutput(true);
    job.setMapOutputCompressorClass(DefaultCodec.class);
    CompressionCodec codec = ReflectionUtils.newInstance(DefaultCodec.class, job);
    int before = Codecs.compressors(codec);
    MapPlan<Text, Text> plan =
        MapPlan.encrypted(
            job,
            map(0),
            new LocalMap(map(0)).reporter(),
            TaskMemory.alone(),
            () -> {
              throw new IllegalStateException("no key");
            });
    try (Lease lease = store.openLease()) {
      assertThrows(
          IllegalStateException.class,
          () ->
              new RecordCollector<>(
                  plan, store.target(lease), ChunkMemory.DIRECT, ChunkSource.NONE));
    }
    assertEquals(before, Codecs.compressors(codec));
  }

  /** Whose compressors do not go back once they are stuck. */
  public static final class Stuck extends DefaultCodec {
    static boolean stuck;

    /** Which is reset before it goes back. */
    public static final class Deflater extends BuiltInZlibDeflater {
      @Override
      public void reset() {
        if (stuck) {
          throw new IllegalStateException("stuck");
        }
        super.reset();
      }
    }

    @Override
    public Class<? extends Compressor> getCompressorType() {
      return Deflater.class;
    }

    @Override
    public Compressor createCompressor() {
      return new Deflater();
    }
  }

  @Test
  void aCompressorThatDoesNotGoBackKeepsNoMemoryOfThePool() throws Exception {
    job.setCompressMapOutput(true);
    job.setMapOutputCompressorClass(Stuck.class);
    MapPlan<Text, Text> plan =
        MapPlan.of(job, map(0), new LocalMap(map(0)).reporter(), TaskMemory.alone());
    try (Lease lease = store.openLease()) {
      RecordCollector<Text, Text> collector =
          new RecordCollector<>(plan, store.target(lease), ChunkMemory.DIRECT, ChunkSource.NONE);
      for (int i = 0; i < RECORDS; i++) {
        collector.collect(new Text("key"), new Text(new byte[1000]), 0);
      }
      assertTrue(store.stats().memory().leasedBytes() > 0, "spills");
      Stuck.stuck = true;
      assertThrows(IllegalStateException.class, collector::close);
      assertEquals(0, store.stats().memory().leasedBytes(), "leases");
    } finally {
      Stuck.stuck = false;
    }
  }
}
