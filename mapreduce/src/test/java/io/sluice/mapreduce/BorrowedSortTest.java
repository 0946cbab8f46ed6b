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
import io.sluice.mapreduce.reduce.ReduceMerge;
import io.sluice.mapreduce.reduce.ReduceMerge.MergeWindows;
import io.sluice.mapreduce.stage.LeasedStage;
import io.sluice.mapreduce.testing.LocalMap;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.ReceivedExtents;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.UnaryOperator;
import org.apache.hadoop.io.BytesWritable;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.JobID;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapred.TaskID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.apache.hadoop.util.Progress;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A map that sorts in more memory than its own, and has to give it back. */
@Timeout(300)
final class BorrowedSortTest {
  private static final TaskAttemptID MAP =
      new TaskAttemptID(new TaskID(new JobID("1700000000000", 7), TaskType.MAP, 0), 0);
  private static final int RECORDS = 12_000;
  private static final int VALUE_BYTES = 1_000;

  /** The least that a sort buffer has of its own. */
  private static final long OWN_BYTES = 4 << 20;

  @TempDir Path directory;
  private final JobConf job = new JobConf();
  private final long[] keySums = new long[2]; // as collected
  private final int[] counts = new int[2];
  private LeakCheck leaks;
  private LocalStore store;
  private PoolChunks lent;

  @BeforeEach
  void open() throws IOException {
    leaks = new LeakCheck();
    store = LocalStore.inMemory(directory, 64 << 20);
    job.setMapOutputKeyClass(IntWritable.class);
    job.setMapOutputValueClass(BytesWritable.class);
    job.setNumReduceTasks(2);
    job.setInt(MRJobConfig.IO_SORT_MB, 1);
  }

  @AfterEach
  void nothingIsLeft() throws Exception {
    assertEquals(0, store.stats().memory().leasedBytes());
    store.close();
    leaks.check();
  }

  private MapOutputStats collect(UnaryOperator<ChunkSource> lender) throws Exception {
    Random random = TestSeed.random();
    MapPlan<IntWritable, BytesWritable> plan =
        MapPlan.of(job, MAP, new LocalMap(MAP).reporter(), TaskMemory.alone());
    try (Lease lease = store.openLease();
        PoolChunks chunks = new PoolChunks(lease, store.target(lease).memory());
        RecordCollector<IntWritable, BytesWritable> collector =
            new RecordCollector<>(
                plan, store.target(lease), ChunkMemory.DIRECT, lender.apply(chunks))) {
      lent = chunks;
      for (int i = 0; i < RECORDS; i++) {
        int key = random.nextInt();
        byte[] value = new byte[VALUE_BYTES];
        ByteBuffer.wrap(value).putInt(VALUE_BYTES - Integer.BYTES, ~key);
        counts[i % 2]++;
        keySums[i % 2] += key;
        collector.collect(new IntWritable(key), new BytesWritable(value), i % 2);
      }
      return collector.flush(LocalStore.output(MAP.toString()));
    }
  }

  /** Every record is there, whole and in order. */
  private void assertOutput() throws IOException {
    for (int partition = 0; partition < 2; partition++) {
      long sum = 0;
      List<Integer> keys = new ArrayList<>();
      try (Lease lease = store.openLease();
          LeasedStage stage =
              new LeasedStage(
                  new ReceivedExtents(lease, () -> true), store::target, 64 << 10, null)) {
        ReduceMerge merge =
            new ReduceMerge(
                MergeWindows.UNBOUNDED,
                stage,
                null,
                KeyOrders.of(job),
                () -> {},
                new MergeMemory(null, job, false, TaskMemory.alone()));
        RecordIterator records =
            RecordIterator.of(
                merge.merge(store.runs(LocalStore.output(MAP.toString()), partition, null)),
                new Progress());
        IntWritable key = new IntWritable();
        BytesWritable value = new BytesWritable();
        while (records.next()) {
          DataInputBuffer keyBytes = records.getKey();
          key.readFields(keyBytes);
          value.readFields(records.getValue());
          assertEquals(VALUE_BYTES, value.getLength());
          int copy = ByteBuffer.wrap(value.getBytes()).getInt(VALUE_BYTES - Integer.BYTES);
          assertEquals(~key.get(), copy);
          assertTrue(keys.isEmpty() || keys.get(keys.size() - 1) <= key.get());
          keys.add(key.get());
          sum += key.get();
        }
        records.close();
      }
      assertEquals(counts[partition], keys.size());
      assertEquals(keySums[partition], sum);
    }
  }

  @Test
  void whatIsLentSparesSpills() throws Exception {
    MapOutputStats stats = collect(chunks -> chunks);
    assertEquals(2, stats.runs(), "one spill");
    assertEquals(0, stats.earlySpills());
    assertTrue(lent.mostBytes() > OWN_BYTES, lent.mostBytes() + " bytes borrowed");
    assertOutput();
  }

  @Test
  void aMapThatIsLentNothingSortsInItsOwn() throws Exception {
    assertTrue(collect(chunks -> ChunkSource.NONE).runs() > 2);
    assertOutput();
  }

  /** Lends, and after so many chunks something else happens. */
  private record Lender(PoolChunks chunks, int most, Then then) implements ChunkSource {
    interface Then {
      ByteBuffer allocate(int lengthBytes) throws IOException;
    }

    @Override
    public ByteBuffer allocate(int lengthBytes) throws IOException {
      return chunks.mostBytes() >= (long) most * lengthBytes
          ? then.allocate(lengthBytes)
          : chunks.allocate(lengthBytes);
    }

    @Override
    public void free(List<ByteBuffer> returned) throws IOException {
      chunks.free(returned);
    }

    @Override
    public boolean isWantedBack() {
      return chunks.isWantedBack();
    }
  }

  @Test
  void whatIsWantedBackIsSpilledEarlyAndGivenBack() throws Exception {
    MapOutputStats stats =
        collect(
            source -> {
              PoolChunks chunks = (PoolChunks) source;
              return new Lender(
                  chunks,
                  3,
                  lengthBytes -> {
                    ByteBuffer last = chunks.allocate(lengthBytes);
                    chunks.keepAtMost(1 << 20);
                    return last;
                  });
            });
    assertTrue(stats.earlySpills() > 0);
    assertEquals(4L << 20, lent.mostBytes(), "nothing more is borrowed before all is back");
    assertOutput();
  }

  /** What is merged and committed has no use for it. */
  @Test
  void whatWasLentForARecordThatIsARunOfItsOwnIsBackWhenAllIsSpilled() throws Exception {
    MapPlan<IntWritable, BytesWritable> plan =
        MapPlan.of(job, MAP, new LocalMap(MAP).reporter(), TaskMemory.alone());
    try (Lease lease = store.openLease();
        PoolChunks chunks = new PoolChunks(lease, store.target(lease).memory());
        RecordCollector<IntWritable, BytesWritable> collector =
            new RecordCollector<>(
                plan,
                store.target(lease),
                ChunkMemory.DIRECT,
                new Lender(chunks, 3, lengthBytes -> null))) {
      collector.collect(new IntWritable(1), new BytesWritable(new byte[2 * (int) OWN_BYTES]), 0);
      assertEquals(3L << 20, chunks.mostBytes(), "it did not fit all the same");
      collector.flush(LocalStore.output(MAP.toString()));
      assertEquals(0, store.stats().memory().leasedBytes());
    }
  }

  @Test
  void aLenderThatFailsFailsTheMap() {
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                collect(
                    source ->
                        new Lender(
                            (PoolChunks) source,
                            3,
                            lengthBytes -> {
                              throw new IOException("the lease is gone");
                            })));
    assertEquals("the lease is gone", e.getCause().getMessage());
  }
}
