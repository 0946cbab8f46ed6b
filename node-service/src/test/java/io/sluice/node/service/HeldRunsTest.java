package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.Partitions;
import io.sluice.node.testing.TestOutput;
import io.sluice.node.testing.TestPool;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of outputs whose index cannot be read. */
class HeldRunsTest {
  private static final String APP = "application_1_0001";
  private static final OutputId ID = new OutputId(APP, "attempt_0");
  private static final int PARTITIONS = 200; // several reads of an index
  private static final Partitions ALL = new Partitions(0, PARTITIONS);

  @TempDir Path directory;
  private SpillStore store;

  @BeforeEach
  void open() throws IOException {
    store = SpillStore.open(TestPool.withDisk(directory, 1).build());
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  /** An output of one run in each partition. */
  private CommittedOutput commit(String id, int runBytes) throws IOException {
    List<Integer> partitions = IntStream.range(0, PARTITIONS).boxed().toList();
    List<byte[]> runs = Collections.nCopies(PARTITIONS, new byte[runBytes]);
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(id, PARTITIONS, partitions, runs).commit(APP, lease);
    }
    return store.find(new OutputId(APP, id)).orElseThrow();
  }

  private static Optional<List<Run>> runs(HeldRuns held) throws IOException {
    return held.of(ID, ALL, Integer.MAX_VALUE);
  }

  @Test
  void whatCannotBeReadIsALossUnlessTheServiceEnds() throws IOException {
    commit("attempt_other", 6_000); // more than the memory tier holds
    SegmentInfo tail = last(commit(ID.outputId(), 6_000).extents()).segment();
    try (FileChannel file = FileChannel.open(tail.path(), StandardOpenOption.WRITE)) {
      file.truncate(0);
    }
    HeldRuns held = new HeldRuns(store::find, store::isQuiet);
    assertEquals(Optional.empty(), runs(held));
    store.quiesce();
    assertThrows(IOException.class, () -> runs(held));
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }
}
