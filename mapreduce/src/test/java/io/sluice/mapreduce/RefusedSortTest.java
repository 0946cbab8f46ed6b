package io.sluice.mapreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.map.RecordCollector.MapOutputStats;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.testing.LocalMap;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.mapreduce.testing.Pair;
import io.sluice.mapreduce.testing.RunRecords;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.Lease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A map whose process refuses its sort buffer direct memory: it spills earlier, and loses nothing.
 */
@Timeout(300)
final class RefusedSortTest {
  private static final TaskAttemptID MAP =
      new TaskAttemptID(new TaskID(new JobID("1700000000000", 7), TaskType.MAP, 0), 0);
  private static final int RECORDS = 200;
  private static final int MAX_VALUE_BYTES = 60_000;

  /** Longer than two chunks, shorter than the sort buffer should be. */
  private static final int LONG_BYTES = 3 << 20;

  @TempDir private Path directory;
  private final JobConf job = new JobConf();
  private final Random random = TestSeed.random();
  private LeakCheck leaks;
  private LocalStore store;

  @BeforeEach
  void open() throws Exception {
    leaks = new LeakCheck();
    store = LocalStore.inMemory(directory, 192 << 20);
    job.setMapOutputKeyClass(IntWritable.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setNumReduceTasks(1);
    job.setInt(MRJobConfig.IO_SORT_MB, 16);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    store.close();
    leaks.check();
  }

  /** Grants direct memory as it is told, by how many chunks it was asked for before. */
  private record Granting(IntPredicate grants, List<ByteBuffer> out) implements ChunkMemory {
    @Override
    public ByteBuffer allocate(int lengthBytes) {
      out.add(null);
      return grants.test(out.size()) ? DIRECT.allocate(lengthBytes) : null;
    }

    @Override
    public void free(ByteBuffer chunk) {
      DIRECT.free(chunk);
    }
  }

  private MapOutputStats collect(IntPredicate grants) throws Exception {
    List<Pair> expected = new ArrayList<>();
    MapOutputStats stats;
    MapPlan<IntWritable, BytesWritable> plan =
        MapPlan.of(job, MAP, new LocalMap(MAP).reporter(), TaskMemory.alone());
    try (Lease lease = store.openLease();
        RecordCollector<IntWritable, BytesWritable> collector =
            new RecordCollector<>(
                plan,
                store.target(lease),
                new Granting(grants, new ArrayList<>()),
                ChunkSource.NONE)) {
      for (int i = 0; i < RECORDS; i++) {
        byte[] value = new byte[i % 100 == 50 ? LONG_BYTES : random.nextInt(MAX_VALUE_BYTES)];
        random.nextBytes(value);
        int key = random.nextInt();
        expected.add(
            new Pair(
                ByteBuffer.allocate(Integer.BYTES).putInt(key).array(),
                ByteBuffer.allocate(Integer.BYTES + value.length)
                    .putInt(value.length)
                    .put(value)
                    .array()));
        collector.collect(new IntWritable(key), new BytesWritable(value), 0);
      }
      stats = collector.flush(LocalStore.output(MAP.toString()));
    }
    List<Pair> actual = new ArrayList<>();
    for (MergeRun run : store.runs(LocalStore.output(MAP.toString()), 0, null)) {
      List<Pair> records = RunRecords.of(run.input());
      for (int i = 1; i < records.size(); i++) {
        assertTrue(key(records.get(i - 1)) <= key(records.get(i)), "a run is not sorted");
      }
      actual.addAll(records);
    }
    actual.sort(null);
    expected.sort(null);
    assertEquals(expected, actual);
    return stats;
  }

  private static int key(Pair pair) {
    return ByteBuffer.wrap(pair.key()).getInt();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 5})
  void spillsWhatItHas(int granted) throws Exception {
    int ample = collect(number -> true).runs();
    store.store().freeApplication(LocalStore.APPLICATION);
    int refused = collect(number -> number <= granted).runs();
    assertTrue(refused > ample, refused + " runs, and " + ample + " with all of the buffer");
  }

  /** All records are less than the sort buffer that the job wants: stock would spill once. */
  @Test
  void spillsThatStockWouldNotMakeAreNotCountedAgainstTheJob() throws Exception {
    job.setInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, 1);
    assertTrue(collect(number -> false).runs() > 1);
  }

  @Test
  void spillsThatStockWouldMakeAreCounted() {
    job.setInt(MRJobConfig.IO_SORT_MB, 4);
    job.setInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, 2);
    IOException failure = assertThrows(IOException.class, () -> collect(number -> false));
    assertTrue(failure.getCause().getMessage().startsWith("Too many spill files got created"));
  }

  @Test
  void refusalsThatComeAndGo() throws Exception {
    collect(number -> random.nextBoolean());
  }
}
