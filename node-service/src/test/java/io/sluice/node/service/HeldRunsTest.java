package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.Partitions;
import io.sluice.node.testing.TestOutput;
import io.sluice.node.testing.TestPool;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
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
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of outputs whose index cannot be read, or changes hands while it is. */
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

  private static Optional<List<LocatedRun>> runs(HeldRuns held) throws IOException {
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

  /** As if it were freed, and its blocks given to another one, right after it was found. */
  @Test
  void anOutputThatIsFreedWhileItIsReadIsNotDescribedByWhatCameThere() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    CommittedOutput another = commit("attempt_1", 100);
    assertEquals(former.extents(), another.extents(), "it should lie in the same blocks");
    assertEquals(Optional.empty(), runs(new HeldRuns(findsFirst(former), store::isQuiet)));
  }

  @Test
  void anOutputThatIsReplacedWhileItIsReadIsDescribedAsItIsNow() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    commit("attempt_1", 100); // where the former one lay
    CommittedOutput now = commit(ID.outputId(), 200);
    assertEquals(
        Optional.of(now.runs(0, PARTITIONS)),
        runs(new HeldRuns(findsFirst(former), store::isQuiet)));
  }

  /** What was found before it was freed, and from then on what the store holds. */
  private Function<OutputId, Optional<CommittedOutput>> findsFirst(CommittedOutput former) {
    AtomicReference<CommittedOutput> first = new AtomicReference<>(former);
    return id -> Optional.ofNullable(first.getAndSet(null)).or(() -> store.find(id));
  }
}
