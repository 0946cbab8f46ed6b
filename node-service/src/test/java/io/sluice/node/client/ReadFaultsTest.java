package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.service.NodeService;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.faulty.FaultKind;
import io.sluice.rdma.transport.faulty.FaultPlan;
import io.sluice.rdma.transport.faulty.FaultyProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.testing.TestOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Reads that fail: every run ends with all of its bytes or in a {@link FetchFailedException}, and
 * gives its windows back; closing a reader with a window out fails.
 */
@Tag("slow")
class ReadFaultsTest extends NodeTestBase {
  private static final int OUTPUTS = 12;
  private static final long SHORT_MS = 300;

  private final List<TestOutput> outputs = new ArrayList<>();

  private void startAndCommit(int lengthBytes) throws IOException {
    service =
        NodeService.start(
            withDisk(
                4,
                new FaultyProvider(new TcpProvider(), FaultPlan.seeded(0)),
                new BrokenRegistration(),
                new TcpProvider()));
    Random random = new Random(1);
    for (int i = 0; i < OUTPUTS; i++) {
      outputs.add(TestOutput.single(random, "attempt_" + i, lengthBytes));
      commit(outputs.get(i));
    }
  }

  private static FaultyProvider faulty(FaultPlan plan) {
    System.out.println(plan);
    return new FaultyProvider(new TcpProvider(), plan);
  }

  /** Reads every output, of which no wrong byte ever comes; returns how many could not be read. */
  private int readAllOrFail(NodeReader reader) throws IOException {
    int failed = 0;
    for (TestOutput output : outputs) {
      NodeRun run = locatePatiently(reader, output.id());
      run.prefetch(3);
      byte[] expected = output.runs().get(0);
      ByteArrayOutputStream seen = new ByteArrayOutputStream();
      try (RunInput input = run.input()) {
        byte[] some = new byte[10_000];
        for (int n = 0; n >= 0; n = input.read(some, 0, some.length)) {
          seen.write(some, 0, n);
        }
        assertArrayEquals(expected, seen.toByteArray());
      } catch (FetchFailedException e) {
        assertArrayEquals(Arrays.copyOf(expected, seen.size()), seen.toByteArray(), "wrong bytes");
        assertEquals(output.id(), e.outputId());
        assertTrue(e.getMessage().contains(output.id() + " partition 0"), e.getMessage());
        failed++;
      }
    }
    return failed;
  }

  @ParameterizedTest
  @EnumSource
  void someFaultsOfAKindNeverLoseOrChangeBytes(FaultKind kind) throws IOException {
    startAndCommit(1_000_000);
    double rate = kind == FaultKind.DROP ? 0.02 : 0.1; // each of those costs a deadline
    FaultPlan plan = FaultPlan.seeded(TestSeed.next()).with(kind, rate).withMaxDelayMs(5);
    FaultyProvider provider = faulty(plan);
    try (NodeReader reader = reader(4, null, SHORT_MS, provider)) {
      int failed = readAllOrFail(reader);
      if (kind == FaultKind.BIT_FLIP) {
        boolean noticed = failed > 0 || reader.stats().retries() > 0; // and read again
        assertTrue(noticed || provider.injected().isEmpty(), "a changed bit was not noticed");
      }
    }
  }

  @Test
  void manyFaultsOfAllKindsNeverLoseOrChangeBytes() throws IOException {
    startAndCommit(400_000);
    long seed = TestSeed.next();
    for (int round = 0; round < 5; round++) {
      FaultPlan plan = FaultPlan.seeded(seed + round).withMaxDelayMs(5);
      for (FaultKind kind : FaultKind.values()) {
        plan = plan.with(kind, kind == FaultKind.DROP ? 0.01 : 0.08);
      }
      try (NodeReader reader = reader(4, null, SHORT_MS, faulty(plan))) {
        readAllOrFail(reader);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"WRONG_KEY", "DISCONNECT", "TRUNCATE"})
  void aTransportThatAlwaysFailsIsGivenUpOnceForTheNode(FaultKind kind) throws IOException {
    startAndCommit(300_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(TestSeed.next()).with(kind, 1));
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, provider, new TcpProvider())) {
      List<NodeRun> runs = new ArrayList<>();
      for (TestOutput output : outputs.subList(0, 4)) {
        runs.add(locateOnly(reader, output.id())); // all of them begin on the first transport
        runs.get(runs.size() - 1).prefetch(2);
      }
      for (int i = 0; i < runs.size(); i++) {
        assertArrayEquals(outputs.get(i).runs().get(0), readAll(runs.get(i)));
      }
      assertEquals(0, readAllOrFail(reader));
      assertEquals(1, reader.stats().transportFallbacks());
      assertEquals(16 * 300_000L, reader.stats().bytes("tcp"));
      assertEquals(0, reader.stats().bytes("faulty-tcp"));
    }
  }

  @Test
  void aTransportThatNeverAnswersIsGivenUp() throws IOException {
    startAndCommit(10_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(1).with(FaultKind.DROP, 1));
    try (NodeReader reader = reader(8, null, 3_000, provider, new TcpProvider())) {
      assertEquals(0, readAllOrFail(reader));
      assertEquals(1, reader.stats().transportFallbacks());
    }
  }

  @Test
  void theLastTransportIsTriedTwiceAndTheOutputNamed() throws IOException {
    startAndCommit(10_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(1).with(FaultKind.WRONG_KEY, 1));
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, provider);
        NodeRun run = locateOnly(reader, "attempt_3")) {
      FetchFailedException e = assertThrows(FetchFailedException.class, () -> readSome(run, 1));
      assertEquals("attempt_3", e.outputId());
      assertTrue(e.getMessage().contains("after 0 of 10000 bytes"), e.getMessage());
      assertTrue(e.getMessage().contains("wrong key"), e.getMessage());
      assertEquals(2, reader.stats().retries());
      assertEquals(2, provider.injected().get(FaultKind.WRONG_KEY));
    }
  }

  @Test
  void prefetchStopsAtTheFirstFailure() throws IOException {
    startAndCommit(1_000_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(1).with(FaultKind.WRONG_KEY, 1));
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, provider);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      run.prefetch(8); // a node that is gone would cost a deadline each
      assertEquals(1, provider.injected().get(FaultKind.WRONG_KEY));
    }
  }

  /** Else a fetch of many small runs would wait for a node's deadline once for each. */
  @Test
  void nothingIsFetchedBehindARunThatFailedAtOnce() throws IOException {
    startAndCommit(10_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(1).with(FaultKind.WRONG_KEY, 1));
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, provider);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      assertFalse(run.fetchAhead(8));
      assertFalse(run.prefetch(8));
      assertEquals(1, provider.injected().get(FaultKind.WRONG_KEY));
    }
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, new TcpProvider());
        NodeRun run = locateOnly(reader, "attempt_0")) {
      assertTrue(run.fetchAhead(8));
    }
  }

  @Test
  void aFailedRegistrationIsTriedAgain() throws IOException {
    startAndCommit(10_000);
    FaultyProvider provider = faulty(FaultPlan.seeded(1).withFailedRegistration(1));
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, provider)) {
      assertEquals(0, readAllOrFail(reader));
    }
  }

  @Test
  void aTransportThatCannotRegisterIsGivenUp() throws IOException {
    startAndCommit(10_000);
    try (NodeReader reader =
        reader(8, null, TIMEOUT_MS, new BrokenRegistration(), new TcpProvider())) {
      assertEquals(0, readAllOrFail(reader));
      assertEquals(1, reader.stats().transportFallbacks());
    }
  }

  @Test
  void aReaderThatCannotRegisterAtAllDoesNotBlameTheOutput() throws IOException {
    startAndCommit(10_000);
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, new BrokenRegistration());
        NodeRun run = locateOnly(reader, "attempt_0")) {
      run.prefetch(2);
      assertThrows(RegistrationException.class, () -> readSome(run, 1));
    }
  }

  @Test
  void anInterruptedReaderDoesNotBlameTheOutput() throws IOException {
    startAndCommit(10_000);
    try (NodeReader reader = tcpReader(8);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      Thread.currentThread().interrupt();
      assertThrows(InterruptedIOException.class, () -> readSome(run, 1));
      assertTrue(Thread.interrupted(), "the interrupt must stay pending for the caller");
    }
  }

  @Test
  void withoutACommonTransportTheOutputCannotBeHad() throws IOException {
    start(2);
    commit(TestOutput.single(new Random(1), "attempt_0", 10));
    FaultyProvider unknown = faulty(FaultPlan.seeded(1));
    try (NodeReader reader = reader(8, null, TIMEOUT_MS, unknown);
        NodeRun run = locateOnly(reader, "attempt_0")) {
      FetchFailedException e = assertThrows(FetchFailedException.class, () -> readSome(run, 1));
      assertTrue(e.getMessage().contains("over [tcp]"), e.getMessage());
    }
  }
}
