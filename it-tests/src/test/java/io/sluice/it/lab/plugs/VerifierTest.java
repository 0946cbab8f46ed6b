package io.sluice.it.lab.plugs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.lab.plugs.Verifier.Verdict;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a verifier must see in a store with three outputs. */
class VerifierTest {
  private static final int OUTPUTS = 3;
  private static final long LOST_BYTES = 1 << 20;

  @TempDir Path directory;
  private PulledPool pool;
  private PlugLedger ledger;

  @BeforeEach
  void write() throws IOException {
    pool = new PulledPool(directory);
    pool.writeUntil(Step.ACKNOWLEDGED, OUTPUTS, 1);
    ledger = pool.openLedger();
  }

  @AfterEach
  void closeLedger() {
    ledger.close();
  }

  @Test
  void allIsWell() throws IOException {
    try (SpillStore store = pool.open()) {
      Verdict verdict = Verifier.verify(store, ledger);
      assertTrue(verdict.passed(), () -> verdict.problems().toString());
      assertEquals(OUTPUTS, verdict.found());
    }
  }

  @Test
  void oneAlteredByte() throws IOException {
    SeededOutput output = first();
    try (SpillStore store = pool.open()) {
      int partition = output.pieces().get(0).partition();
      Range range =
          store.find(output.id()).orElseThrow().runs(partition).get(0).location().ranges().get(0);
      alter(store.segment(range.segmentId()).orElseThrow().info().path(), range.offsetBytes());
      assertProblem("altered: run 0 of partition " + partition, store);
    }
  }

  @Test
  void aSegmentThatVanished() throws IOException {
    Path segment;
    try (SpillStore store = pool.open()) {
      segment = store.find(first().id()).orElseThrow().extents().get(0).segment().path();
    }
    Files.delete(segment);
    try (SpillStore store = pool.open()) {
      assertProblem("was acknowledged and is missing", store);
    }
  }

  @Test
  void aFreedOutputThatIsBack() throws IOException {
    ledger.freeing(first().application());
    ledger.freed(first().application());
    try (SpillStore store = pool.open()) {
      assertProblem("is visible although it was freed", store);
    }
  }

  @Test
  void anAbsentOutputThatIsBack() throws IOException {
    ledger.settle(first(), false);
    try (SpillStore store = pool.open()) {
      assertProblem("is visible although", store);
    }
  }

  @Test
  void outputsThatNobodyBegan() throws IOException {
    try (SpillStore store = pool.open();
        PlugLedger empty = PlugLedger.open(directory.resolve("empty"))) {
      Verdict verdict = Verifier.verify(store, empty);
      assertTrue(
          verdict.problems().contains(OUTPUTS + " outputs are visible, 0 are known"),
          () -> verdict.problems().toString());
    }
  }

  @Test
  void lostSpace() throws IOException {
    try (SpillStore store = pool.open();
        Lease leak = store.openLease("application_leak")) {
      leak.lease(LOST_BYTES);
      Verdict verdict = Verifier.verify(store, ledger);
      assertEquals(LOST_BYTES, verdict.lostBytes());
      assertTrue(verdict.problems().get(0).startsWith("space is lost"));
    }
  }

  private SeededOutput first() {
    return ledger.outputs().iterator().next();
  }

  private void assertProblem(String part, SpillStore store) throws IOException {
    Verdict verdict = Verifier.verify(store, ledger);
    assertTrue(
        verdict.problems().stream().anyMatch(problem -> problem.contains(part)),
        () -> verdict.problems().toString());
  }

  private static void alter(Path file, long offsetBytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      channel.read(one, offsetBytes);
      one.put(0, (byte) ~one.get(0));
      channel.write(one.flip(), offsetBytes);
    }
  }
}
