package io.sluice.mapreduce.map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.map.MapPlan.MergePolicy;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.MergeMemory;
import io.sluice.mapreduce.order.KeyOrders;
import io.sluice.mapreduce.reduce.MergeRun;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.mapreduce.testing.RunRecords;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.WriteTarget;
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

/** What a map has mapped of the pool while it merges, in rounds too: YARN counts it. */
final class MappedMergeTest {
  private static final OutputId ID = LocalStore.output("attempt_1700000000000_0007_m_000003_0");
  private static final int PARTITIONS = 3;
  private static final int SPILLS = 16;
  private static final int VALUE_BYTES = 1_000;
  private static final int RECORDS = 50 * PARTITIONS;
  private static final int EXTENT_BYTES = 64 << 10;
  private static final int READ_BYTES = 16 << 10;

  @TempDir Path directory;
  private final JobConf job = new JobConf();
  private LocalStore store;
  private long mappedBefore;
  private long mostBytes;

  @BeforeEach
  void open() throws IOException {
    store = LocalStore.inMemory(directory, 32 << 20);
    mappedBefore = OffHeap.mappedBytes();
  }

  @AfterEach
  void close() throws IOException {
    assertEquals(mappedBefore, OffHeap.mappedBytes(), "mapped bytes");
    store.close();
  }

  /** Maps as a task does, and looks what is mapped with each extent that is opened. */
  private WriteTarget target(Lease lease) {
    WriteTarget mapped = WriteTarget.mapped(lease, store.medium(), EXTENT_BYTES);
    return new WriteTarget(
        lease,
        store.medium(),
        extent -> open(mapped, extent),
        mapped.opener(),
        mapped.mappedBytes());
  }

  private Mapping open(WriteTarget mapped, Extent extent) throws IOException {
    Mapping mapping = mapped.memory().open(extent);
    mostBytes = Math.max(mostBytes, OffHeap.mappedBytes() - mappedBefore);
    return mapping;
  }

  @Test
  void isTwoExtentsAndWhatIsRead() throws Exception {
    job.setMapOutputKeyClass(IntWritable.class);
    job.setNumReduceTasks(PARTITIONS);
    KeyOrder order = KeyOrders.of(job);
    TaskMemory fewRuns = new TaskMemory(1 << 20, 150_000, 1 << 20, 1 << 20, READ_BYTES);
    MergePolicy policy =
        new MergePolicy(3, 2, 1_000, 1 << 20, new MergeMemory(null, job, false, fewRuns));
    try (Lease lease = store.openLease();
        SortChunks chunks = new SortChunks(1 << 20, 1 << 12);
        RecordBuffer records = new RecordBuffer(chunks, PARTITIONS, order);
        MapOutputBuilder output =
            new MapOutputBuilder(
                target(lease),
                PARTITIONS,
                order,
                null,
                null,
                null,
                policy,
                Reporter.NULL,
                new Counters.Counter())) {
      int number = 0;
      for (int spill = 0; spill < SPILLS; spill++) {
        for (int i = 0; i < RECORDS; i++, number++) {
          byte[] record = ByteBuffer.allocate(4 + VALUE_BYTES).putInt(number).array();
          assertTrue(records.append(record, 0, 4, VALUE_BYTES, number % PARTITIONS));
        }
        output.spill(records.sort());
        records.reset();
      }
      mostBytes = 0;
      output.commit(ID);
      assertEquals(PARTITIONS, output.runs());
    }
    assertTrue(mostBytes <= 2 * EXTENT_BYTES + READ_BYTES, mostBytes + " bytes were mapped");
    assertWhole();
  }

  private void assertWhole() throws IOException {
    List<Integer> keys = new ArrayList<>();
    for (int partition = 0; partition < PARTITIONS; partition++) {
      for (MergeRun run : store.runs(ID, partition, null)) {
        RunRecords.of(run.input()).forEach(pair -> keys.add(ByteBuffer.wrap(pair.key()).getInt()));
      }
    }
    keys.sort(null);
    assertEquals(SPILLS * RECORDS, keys.size());
    for (int i = 0; i < keys.size(); i++) {
      assertEquals(i, keys.get(i));
    }
  }
}
