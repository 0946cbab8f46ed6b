package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.testing.UsedHeap;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What a reducer keeps of each run that it has located and reads later. */
class LocatedRunHeapTest extends NodeTestBase {
  private static final int OUTPUTS = 20; // as many as a reducer asks for at once
  private static final int ANSWERS = 500;

  /** With what is on its way of the first few. */
  private static final long MOST_BYTES = 110;

  @Test
  void aRunThatNothingIsReadOfTakesLittle() throws IOException {
    start(8);
    List<String> ids =
        IntStream.range(0, OUTPUTS)
            .mapToObj("attempt_1700000000000_0001_m_%06d_0"::formatted)
            .toList();
    for (String id : ids) {
      commit(TestOutput.single(new Random(1), id, 2 * WINDOW_BYTES));
    }
    List<NodeRun> runs = new ArrayList<>();
    try (NodeReader reader = tcpReader(2)) {
      locate(reader, ids, runs); // with its classes
      long before = UsedHeap.bytes();
      for (int i = 0; i < ANSWERS; i++) {
        locate(reader, ids, runs);
      }
      long perRun = (UsedHeap.bytes() - before) / (ANSWERS * OUTPUTS);
      assertTrue(perRun <= MOST_BYTES, perRun + " bytes of heap for each run");
      Closer.all(runs);
    }
  }

  /** There are windows for the first alone. */
  private void locate(NodeReader reader, List<String> ids, List<NodeRun> runs) throws IOException {
    int before = runs.size();
    reader.locate(address(), PartitionRange.one(0), ids).values().forEach(runs::addAll);
    assertEquals(before + OUTPUTS, runs.size());
    for (NodeRun run : runs.subList(before, runs.size())) {
      run.prefetch(2);
    }
  }
}
