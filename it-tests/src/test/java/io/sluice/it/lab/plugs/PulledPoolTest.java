package io.sluice.it.lab.plugs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.lab.plugs.Verifier.Verdict;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.store.SpillStore;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The writer and the verifier of pulled plugs, without a guest. */
class PulledPoolTest {
  private static final long SEED = 7;

  @TempDir Path directory;

  @ParameterizedTest
  @EnumSource
  void everyStepLeavesWhatWasAcknowledged(Step step) throws Exception {
    long mappedBytes = OffHeap.mappedBytes();
    PulledPool pool = new PulledPool(directory);
    pool.writeUntil(Step.ACKNOWLEDGED, 20, SEED);
    Verdict before = verify(pool);
    assertEquals(0, before.inFlightFound() + before.inFlightAbsent());

    pool.writeUntil(step, 1, SEED + 1);
    Verdict after = verify(pool);
    int inFlight = after.inFlightFound() + after.inFlightAbsent();
    switch (step) {
      case RUNS_PERSISTED, INDEX_PERSISTED, FOOTER_PERSISTED ->
          assertEquals(List.of(0, 1), List.of(after.inFlightFound(), after.inFlightAbsent()));
      case MARK_STORED, MARK_PERSISTED, COMMITTED ->
          assertEquals(List.of(1, 0), List.of(after.inFlightFound(), after.inFlightAbsent()));
      case FREE_BEGUN -> assertEquals(inFlight, after.inFlightFound());
      case MARK_CLEARED -> assertEquals(1, after.inFlightAbsent());
      case FREED -> assertEquals(inFlight, after.inFlightAbsent());
      case ACKNOWLEDGED, FREE_ACKNOWLEDGED, RECOVERING -> assertEquals(0, inFlight);
      case SEGMENT_CREATED -> assertTrue(inFlight <= 1, "the writer went on meanwhile");
      default -> throw new AssertionError(step);
    }
    assertEquals(mappedBytes, OffHeap.mappedBytes(), "mapped bytes");
  }

  @Test
  void aWriterFinishesTheFreeThatAPullInterrupted() throws Exception {
    PulledPool pool = new PulledPool(directory);
    pool.writeUntil(Step.MARK_CLEARED, 1, SEED);
    verify(pool);
    pool.writeUntil(Step.FREE_ACKNOWLEDGED, 1, SEED + 1);
    Verdict verdict = verify(pool);
    assertEquals(0, verdict.inFlightFound() + verdict.inFlightAbsent());
  }

  private static Verdict verify(PulledPool pool) throws Exception {
    try (PlugLedger ledger = pool.openLedger();
        SpillStore store = pool.open()) {
      Verdict verdict = Verifier.verify(store, ledger);
      assertEquals(List.of(), verdict.problems());
      assertEquals(verdict.acknowledged(), verdict.found());
      assertEquals(0, verdict.lostBytes());
      return verdict;
    }
  }
}
