package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.remote.Partitions;
import io.sluice.node.remote.SegmentLocation;
import io.sluice.node.testing.TestOutput;
import io.sluice.node.testing.TestPool;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntFunction;
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
    List<byte[]> runs = partitions.stream().map(number -> run(number, runBytes)).toList();
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(id, PARTITIONS, partitions, runs).commit(APP, lease);
    }
    return store.find(new OutputId(APP, id)).orElseThrow();
  }

  /** Of a byte of its own, by which it can be told from others. */
  private static byte[] run(int partition, int runBytes) {
    byte[] run = new byte[runBytes];
    Arrays.fill(run, (byte) (partition + runBytes));
    return run;
  }

  private static Optional<List<LocatedRun>> runs(HeldRuns held) throws IOException {
    return held.of(ID, ALL, Integer.MAX_VALUE, new InlinedRuns(0)).map(HeldRuns.Held::runs);
  }

  private SegmentLocation served(int segmentId) {
    return store
        .segment(segmentId)
        .map(segment -> new SegmentLocation(segment.info(), Map.of()))
        .orElse(null);
  }

  @Test
  void whatCannotBeReadIsALossUnlessTheServiceEnds() throws IOException {
    commit("attempt_other", 6_000); // more than the memory tier holds
    SegmentInfo tail = last(commit(ID.outputId(), 6_000).extents()).segment();
    try (FileChannel file = FileChannel.open(tail.path(), StandardOpenOption.WRITE)) {
      file.truncate(0);
    }
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet);
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
    assertEquals(
        Optional.empty(), runs(new HeldRuns(findsFirst(former), this::served, store::isQuiet)));
  }

  @Test
  void anOutputThatIsReplacedWhileItIsReadIsDescribedAsItIsNow() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    commit("attempt_1", 100); // where the former one lay
    CommittedOutput now = commit(ID.outputId(), 200);
    assertEquals(
        Optional.of(now.runs(0, PARTITIONS)),
        runs(new HeldRuns(findsFirst(former), this::served, store::isQuiet)));
  }

  @Test
  void bytesThatComeAlongAreThoseOfTheOutputThatIsDescribed() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    commit("attempt_1", 100); // where the former one lay
    CommittedOutput now = commit(ID.outputId(), 200);
    HeldRuns.Held held =
        new HeldRuns(findsFirst(former), this::served, store::isQuiet)
            .of(ID, ALL, Integer.MAX_VALUE, new InlinedRuns(1_000))
            .orElseThrow();
    assertEquals(now.runs(0, PARTITIONS), held.runs());
    assertEquals(PARTITIONS, held.inlined().size());
    for (LocatedRun located : held.runs()) { // by these very objects
      assertArrayEquals(run(located.run().partition(), 200), held.inlined().get(located));
    }
  }

  /** The defect was: it was described without saying where that segment is. */
  @Test
  void aSegmentThatGoesWhileItIsDescribedIsAskedForAgain() throws IOException {
    commit(ID.outputId(), 100);
    AtomicBoolean replaced = new AtomicBoolean();
    IntFunction<SegmentLocation> goes =
        segmentId -> {
          if (replaced.getAndSet(true)) {
            return served(segmentId);
          }
          try {
            store.freeOutput(ID);
            commit(ID.outputId(), 200);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return null;
        };
    HeldRuns.Held held =
        new HeldRuns(store::find, goes, store::isQuiet)
            .of(ID, ALL, Integer.MAX_VALUE, new InlinedRuns(0))
            .orElseThrow();
    assertEquals(store.find(ID).orElseThrow().runs(0, PARTITIONS), held.runs());
    for (LocatedRun run : held.runs()) {
      for (Range range : run.place().ranges()) {
        assertEquals(
            range.segmentId(), held.segments().get(range.segmentId()).segment().segmentId());
      }
    }
  }

  @Test
  void anOutputInASegmentThatIsNotServedIsNotHeld() throws IOException {
    commit(ID.outputId(), 100);
    assertEquals(Optional.empty(), runs(new HeldRuns(store::find, id -> null, store::isQuiet)));
  }

  /** What was found before it was freed, and from then on what the store holds. */
  private Function<OutputId, Optional<CommittedOutput>> findsFirst(CommittedOutput former) {
    AtomicReference<CommittedOutput> first = new AtomicReference<>(former);
    return id -> Optional.ofNullable(first.getAndSet(null)).or(() -> store.find(id));
  }
}
