package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs whose index cannot be read now, and may be again soon. */
@Timeout(300)
class HeldRunsHungDiskTest {
  private static final String APP = "application_1_0001";
  private static final int PARTITIONS = 200;
  private static final InlinedRuns NONE = new InlinedRuns(0);

  @TempDir private Path directory;

  private static void commit(SpillStore store, String id) throws IOException {
    List<Integer> partitions = IntStream.range(0, PARTITIONS).boxed().toList();
    List<byte[]> runs = Collections.nCopies(PARTITIONS, new byte[6_000]);
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(id, PARTITIONS, partitions, runs).commit(APP, lease);
    }
  }

  /** What a service says it does not hold is lost for certain, and its map runs again. */
  @Test
  void whatLiesOnADiskThatHangsIsNotLost() throws Exception {
    try (SpillStore store =
        SpillStore.open(TestPool.withDisk(directory, 1).diskTimeoutMs(4_000).build())) {
      commit(store, "attempt_other"); // more than the memory tier holds
      commit(store, "attempt_0");
      OutputId id = new OutputId(APP, "attempt_0");
      HeldRuns held =
          new HeldRuns(
              store::find,
              segmentId ->
                  store
                      .segment(segmentId)
                      .map(segment -> new SegmentLocation(segment.info(), Map.of()))
                      .orElse(null),
              store::isQuiet,
              store::replaceByCopy);
      PartitionRange all = new PartitionRange(0, PARTITIONS);
      List<Extent> extents = store.find(id).orElseThrow().extents();
      Extent tail = extents.get(extents.size() - 1);
      assertEquals(Tier.DISK, tail.segment().tier());
      synchronized (store.segment(tail.segment().segmentId()).orElseThrow().file()) {
        assertThrows(IOException.class, () -> held.of(id, all, Integer.MAX_VALUE, NONE));
      }
      boolean described = false;
      while (!described) { // as soon as the device has answered
        try {
          described = held.of(id, all, Integer.MAX_VALUE, NONE).isPresent();
          assertTrue(described, "it was lost");
        } catch (IOException e) {
          Thread.onSpinWait();
        }
      }
    }
  }
}
