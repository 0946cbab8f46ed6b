package io.sluice.mapreduce.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.map.MapPlan.MergePolicy;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.mapreduce.testing.RunRecords;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.store.Lease;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapred.Counters;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.Reporter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More partitions and spills than the heap or an index has room for as runs. */
final class ManyRunsTest {
  private static final OutputId ID = LocalStore.output("attempt_1700000000000_0007_m_000003_0");
  private static final int PARTITIONS = 10;

  @TempDir Path directory;
  private final JobConf job = new JobConf();
  private LocalStore store;

  @BeforeEach
  void open() throws IOException {
    store = LocalStore.inMemory(directory, 96 << 20);
  }

  @AfterEach
  void close() throws IOException {
    assertEquals(0, store.stats().memory().leasedBytes(), "leases");
    store.close();
  }

  /** Limits of runs held and runs indexed, and how many runs are left of 12 spills. */
  @ParameterizedTest
  @CsvSource({
    "1000, 1000, 120, false",
    "1000, 119, 10, false",
    "40, 1000, 30, false",
    "20, 10, 10, false",
    "20, 20, 20, false",
    "1000, 1000, 120, true",
    "40, 1000, 30, true",
    "20, 10, 10, true"
  })
  void areMergedBeforeThereAreTooMany(int maxHeld, int maxIndexed, int left, boolean encrypted)
      throws Exception {
    ShuffleKey key = encrypted ? new ShuffleKey(new byte[20], LocalStore.APPLICATION, 128) : null;
    job.setMapOutputKeyClass(IntWritable.class);
    job.setNumReduceTasks(PARTITIONS);
    KeyOrder order = KeyOrders.of(job);
    long maxIndexBytes = OutputIndex.encodedBytes(PARTITIONS, maxIndexed + 1, 0); // and the next
    MergePolicy policy =
        new MergePolicy(
            3, 100, maxHeld, maxIndexBytes, new MergeMemory(null, job, false, TaskMemory.alone()));
    try (Lease lease = store.openLease();
        SortChunks chunks = new SortChunks(1 << 20, 1 << 12);
        RecordBuffer records = new RecordBuffer(chunks, PARTITIONS, order);
        MapOutputBuilder output = builder(lease, order, policy, key)) {
      int number = 0;
      for (int spill = 0; spill < 12; spill++) {
        for (int i = 0; i < 5 * PARTITIONS; i++, number++) {
          byte[] record = ByteBuffer.allocate(8).putInt(number).putInt(spill).array();
          assertTrue(records.append(record, 0, 4, 4, number % PARTITIONS));
        }
        output.spill(records.sort());
        records.reset();
        assertTrue(output.runs() <= maxHeld, output.runs() + " runs are held");
      }
      output.commit(ID);
      assertEquals(left, output.runs());
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<Integer> keys = new ArrayList<>();
      for (MergeRun run : store.runs(ID, partition, null, key)) {
        RunRecords.of(run.input()).forEach(pair -> keys.add(ByteBuffer.wrap(pair.key()).getInt()));
      }
      keys.sort(null);
      assertEquals(60, keys.size());
      for (int i = 0; i < keys.size(); i++) {
        assertEquals(i * PARTITIONS + partition, keys.get(i));
      }
    }
  }

  private MapOutputBuilder builder(
      Lease lease, KeyOrder order, MergePolicy policy, ShuffleKey key) {
    return new MapOutputBuilder(
        store.target(lease),
        PARTITIONS,
        order,
        null,
        null,
        key == null ? null : () -> key.newOutput(ID, PARTITIONS),
        policy,
        Reporter.NULL,
        new Counters.Counter());
  }

  @Test
  void aHundredThousandPartitionsAreHeldInLessThanAnIndexHas() throws IOException {
    job.setNumReduceTasks(100_000);
    MergePolicy policy = MergePolicy.of(job, null, false, TaskMemory.alone());
    assertTrue(policy.maxHeldRuns() <= OutputIndex.maxRuns(100_000), policy.toString());
  }

  @Test
  void morePartitionsThanAnIndexHasAreDeclined() {
    job.setNumReduceTasks(1_500_000);
    IOException e =
        assertThrows(IOException.class, () -> MergePolicy.of(job, null, false, TaskMemory.alone()));
    assertTrue(e.getMessage().contains("1500000 reduces"), e.getMessage());
  }
}
