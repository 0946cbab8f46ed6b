package io.sluice.hadoop.collect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.merge.MergeMemory;
import io.sluice.hadoop.order.KeyOrders;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.Pair;
import io.sluice.hadoop.testing.SluiceMapOutput;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.node.local.LocalClient;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.writer.WriteTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.apache.hadoop.io.IntWritable;
import org.apache.hadoop.mapreduce.TaskCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** More partitions and spills than the heap or an index has room for as runs. */
final class ManyRunsTest extends CollectorFixture {
  private static final int PARTITIONS = 10;

  /** Limits of runs held and runs indexed, and how many runs are left of 12 spills. */
  @ParameterizedTest
  @CsvSource({"1000, 1000, 120", "1000, 119, 10", "40, 1000, 30", "20, 10, 10", "20, 20, 20"})
  void areMergedBeforeThereAreTooMany(int maxHeld, int maxIndexed, int left) throws Exception {
    types(IntWritable.class, IntWritable.class);
    job.setNumReduceTasks(PARTITIONS);
    KeyOrder order = KeyOrders.of(job);
    long maxIndexBytes = OutputIndex.encodedBytes(PARTITIONS, maxIndexed + 1, 0); // and the next
    MergePolicy policy =
        new MergePolicy(3, 100, maxHeld, maxIndexBytes, new MergeMemory(null, job));
    try (LocalClient client =
            LocalClient.connect(
                node.service().metadata().socket(),
                NodeLink.applicationId(TestJob.ID),
                NodeLink.jobSecret(TestJob.SECRET),
                10_000);
        SortChunks chunks = new SortChunks(1 << 20, 1 << 12);
        RecordBuffer records = new RecordBuffer(chunks, PARTITIONS, order);
        MapOutputBuilder output = builder(client, order, policy)) {
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
      output.commit(new OutputId(NodeLink.applicationId(TestJob.ID), ours.getTaskID().toString()));
      assertEquals(left, output.runs());
    }
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<Integer> keys = new ArrayList<>();
      for (List<Pair> run : SluiceMapOutput.read(node, ours.getTaskID(), partition, null)) {
        run.forEach(pair -> keys.add(ByteBuffer.wrap(pair.key()).getInt()));
      }
      keys.sort(null);
      assertEquals(60, keys.size());
      for (int i = 0; i < keys.size(); i++) {
        assertEquals(i * PARTITIONS + partition, keys.get(i));
      }
    }
  }

  private MapOutputBuilder builder(LocalClient client, KeyOrder order, MergePolicy policy)
      throws IOException {
    Medium medium = MediumChooser.choose("plain", node.pool()).medium();
    return new MapOutputBuilder(
        WriteTarget.mapped(client, medium),
        PARTITIONS,
        order,
        null,
        null,
        policy,
        ours.reporter(),
        ours.counter(TaskCounter.SPILLED_RECORDS));
  }

  @Test
  void aHundredThousandPartitionsAreHeldInLessThanAnIndexHas() throws IOException {
    job.setNumReduceTasks(100_000);
    MergePolicy policy = MergePolicy.of(job, null);
    assertTrue(policy.maxHeldRuns() <= OutputIndex.maxRuns(100_000), policy.toString());
  }

  @Test
  void morePartitionsThanAnIndexHasAreDeclined() {
    job.setNumReduceTasks(1_500_000);
    IOException e = assertThrows(IOException.class, () -> MergePolicy.of(job, null));
    assertTrue(e.getMessage().contains("1500000 reduces"), e.getMessage());
  }
}
