package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.faulty.FaultKind;
import io.sluice.rdma.transport.faulty.FaultPlan;
import io.sluice.rdma.transport.faulty.FaultyProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads of slots that fail: no byte is lost or changed, and every slot comes back. */
class BounceFaultsTest extends BounceTestBase {
  private static final long SHORT_MS = 300;

  private void startFaulty() throws IOException {
    startRefusing(new FaultyProvider(RDMA, FaultPlan.seeded(0)), new TcpProvider());
  }

  private static FaultyProvider faulty(FaultPlan plan) {
    System.out.println(plan);
    return new FaultyProvider(RDMA, plan);
  }

  /** All slots are back while the readers are still there, who give them back themselves. */
  private void awaitFaultySlotsFree() {
    Await.until(
        "all slots are given back",
        () -> service.counters().bounce().get("faulty-rdma").slotsInUse() == 0);
  }

  private int readAllOrFail(NodeReader reader, List<TestOutput> outputs) throws IOException {
    int failed = 0;
    for (TestOutput output : outputs) {
      NodeRun run = locatePatiently(reader, output.id());
      run.prefetch(3);
      try {
        assertArrayEquals(output.runs().get(0), readAll(run));
      } catch (FetchFailedException e) {
        assertEquals(output.id(), e.outputId());
        failed++;
      }
    }
    return failed;
  }

  @ParameterizedTest
  @EnumSource
  void someFaultsOfAKindNeverLoseOrChangeBytes(FaultKind kind) throws IOException {
    startFaulty();
    List<TestOutput> outputs = commitSingles(8, 600_000);
    double rate = kind == FaultKind.DROP ? 0.02 : 0.1; // each of those costs a deadline
    FaultyProvider provider =
        faulty(FaultPlan.seeded(TestSeed.next()).with(kind, rate).withMaxDelayMs(5));
    try (NodeReader reader = reader(4, null, SHORT_MS, provider)) {
      int failed = readAllOrFail(reader, outputs);
      if (kind == FaultKind.BIT_FLIP) {
        boolean noticed = failed > 0 || reader.stats().retries() > 0; // and read again
        assertTrue(noticed || provider.injected().isEmpty(), "a changed bit was not noticed");
      }
      awaitFaultySlotsFree();
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"WRONG_KEY", "DISCONNECT", "TRUNCATE", "DROP"})
  void aTransportWhoseSlotsCannotBeReadIsGivenUp(FaultKind kind) throws IOException {
    startFaulty();
    List<TestOutput> outputs = commitSingles(4, 100_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(TestSeed.next()).with(kind, 1));
    long timeoutMs = kind == FaultKind.DROP ? 3_000 : TIMEOUT_MS;
    try (NodeReader reader = reader(8, null, timeoutMs, provider, new TcpProvider())) {
      assertEquals(0, readAllOrFail(reader, outputs));
      assertEquals(1, reader.stats().transportFallbacks());
      assertEquals(400_000, reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().bouncedBytes());
      awaitFaultySlotsFree();
    }
  }

  @Test
  void aServiceThatEndsDuringReadsLeaksNothing() throws IOException {
    startFaulty();
    List<TestOutput> outputs = commitSingles(1, 600_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(1).with(FaultKind.DROP, 1));
    try (NodeReader reader = reader(4, null, SHORT_MS, provider);
        NodeRun run = locatePatiently(reader, outputs.get(0).id())) {
      run.prefetch(4);
      Await.until(
          "slots are held",
          () -> service.counters().bounce().get("faulty-rdma").peakSlotsInUse() > 0);
      service.close();
    }
  }
}
