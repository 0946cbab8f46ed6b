package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.Errnos;
import io.sluice.node.testing.FailingReads;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What a service says of an output when a file of its pool cannot be read, and afterwards. */
class HeldRunsTroubleTest {
  private static final String APP = "application_1_0001";
  private static final Map<Tier, OutputId> OUTPUTS =
      Map.of(
          Tier.MEMORY, new OutputId(APP, "attempt_0"), Tier.DISK, new OutputId(APP, "attempt_1"));
  private static final int PARTITIONS = 10;
  private static final int PARTITION = 7;

  @TempDir Path directory;
  private SpillStore store;
  private HeldRuns held;

  /** What readers ask of an output. */
  private enum Question {
    DESCRIBE,
    DESCRIBE_LONG,
    VERIFY
  }

  @BeforeEach
  void open() throws IOException {
    store = SpillStore.open(TestPool.withDisk(directory, 1).build());
    commit(OUTPUTS.get(Tier.MEMORY), 100);
    commit(new OutputId(APP, "attempt_other"), TestPool.SEGMENT_BYTES / PARTITIONS);
    commit(OUTPUTS.get(Tier.DISK), 100);
    held =
        new HeldRuns(
            store::find,
            segmentId ->
                store
                    .segment(segmentId)
                    .map(segment -> new SegmentLocation(segment.info(), Map.of()))
                    .orElse(null),
            store::isQuiet,
            store::replaceByCopy);
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  private void commit(OutputId id, int runBytes) throws IOException {
    List<Integer> partitions = IntStream.range(0, PARTITIONS).boxed().toList();
    List<byte[]> runs = Collections.nCopies(PARTITIONS, new byte[runBytes]);
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(id.outputId(), PARTITIONS, partitions, runs).commit(APP, lease);
    }
  }

  /** As the reader takes it that asks; null if it has its answer. */
  private FailureMeaning trouble(Question question, OutputId id) {
    try {
      boolean gone =
          switch (question) {
            case DESCRIBE ->
                held.of(
                        id,
                        new PartitionRange(0, PARTITIONS),
                        Integer.MAX_VALUE,
                        new InlinedRuns(0))
                    .isEmpty();
            case DESCRIBE_LONG ->
                held.longOf(id, PARTITION, store.paths(), new ArrayList<>()).isEmpty();
            case VERIFY -> held.isDamaged(id, PARTITION);
          };
      return gone ? FailureMeaning.GONE : null;
    } catch (IOException e) {
      return FailureMeaning.ofAsking(e);
    } catch (Error e) { // that ends the conversation
      return FailureMeaning.ofAsking(new EOFException());
    }
  }

  private void assertTrouble(FailureMeaning expected, Question question, Throwable failure)
      throws IOException {
    for (Tier tier : Tier.values()) {
      OutputId id = OUTPUTS.get(tier);
      FailureMeaning told =
          FailingReads.during(files(id, tier), failure, () -> trouble(question, id));
      assertEquals(expected, told, question + " on " + tier + ": " + failure);
    }
  }

  private Set<SharedFile> files(OutputId id, Tier tier) {
    return store.find(id).orElseThrow().extents().stream()
        .peek(extent -> assertEquals(tier, extent.segment().tier()))
        .map(extent -> store.segment(extent.segment().segmentId()).orElseThrow().file())
        .collect(Collectors.toSet());
  }

  private void assertHeld() {
    for (Question question : Question.values()) {
      OUTPUTS.values().forEach(id -> assertEquals(null, trouble(question, id), id.toString()));
    }
  }

  @ParameterizedTest
  @MethodSource("io.sluice.node.testing.Errnos#ofAMoment")
  void noErrnoIsALoss(String errno) throws IOException {
    for (IOException failure : Errnos.failures(errno)) {
      for (Question question : Question.values()) {
        assertTrouble(FailureMeaning.NOT_NOW, question, failure);
      }
    }
    assertHeld();
  }

  @Test
  void noErrorOfTheProcessIsALoss() throws IOException {
    for (Error failure :
        List.of(
            new OutOfMemoryError("Java heap space"),
            new InternalError("a fault occurred in an unsafe memory access operation"))) {
      for (Question question : Question.values()) {
        assertTrouble(FailureMeaning.NOT_NOW, question, failure);
      }
    }
    assertHeld();
  }

  @Test
  void whatIsNotThereOrNotWhatWasWrittenIsALoss() throws IOException {
    for (IOException failure :
        List.of(
            new EOFException("cut"),
            new NoSuchFileException("segment"),
            new CorruptOutputException("another checksum"))) {
      assertTrouble(FailureMeaning.GONE, Question.DESCRIBE, failure);
      assertTrouble(FailureMeaning.GONE, Question.DESCRIBE_LONG, failure);
    }
    assertHeld(); // nobody has looked at the bytes
    assertTrouble(FailureMeaning.GONE, Question.VERIFY, new EOFException("cut"));
    for (OutputId id : OUTPUTS.values()) {
      assertEquals(FailureMeaning.GONE, trouble(Question.DESCRIBE, id));
    }
  }

  @Test
  void whileTheServiceEndsNothingIsALoss() throws IOException {
    store.quiesce();
    for (Question question : Question.values()) {
      assertTrouble(FailureMeaning.NOT_NOW, question, new NoSuchFileException("segment"));
    }
    assertTrue(store.isQuiet());
  }
}
