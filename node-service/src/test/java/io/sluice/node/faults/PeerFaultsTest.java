package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.FetchFailedException;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.testing.ForkedJvm;
import java.io.IOException;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Processes on either side that die or hang while a NIC carries their reads. */
class PeerFaultsTest extends VerbsFaultBase {
  private static final long SOME_BYTES = 500_000;

  @Test
  @Tag("campaign")
  void aServiceKilledMidReadIsAFetchFailureUntilItIsBack(TestReporter reporter) throws Exception {
    startServerWithOutputs();
    try (NodeReader reader = standardReader()) {
      EndlessReads reads = new EndlessReads(this, reader).awaitMore(RDMA, SOME_BYTES);
      server.kill();
      // Between two runs it is the node that cannot be asked, which the caller maps to the same.
      reads.awaitFailure(IOException.class);
      report(reporter, "service killed while it was read from", reader.stats());

      startServer();
      readAndCheckAll(reader);
    }
    assertReadsOverVerbs(reporter);
  }

  @Test
  @Tag("campaign")
  void aRunWhoseServiceIsKilledFailsAsAFetch(TestReporter reporter) throws Exception {
    startServerWithOutputs();
    try (NodeReader reader = standardReader();
        NodeRun run = locateOnly(reader, OUTPUTS.get(0).id())) {
      run.prefetch(2);
      readSome(run, 2 * WINDOW_BYTES);
      server.kill();
      FetchFailedException e =
          assertThrows(FetchFailedException.class, () -> readSome(run, OUTPUT_BYTES / 2));
      assertEquals(OUTPUTS.get(0).id(), e.outputId());
      report(reporter, "service killed in the middle of a run", reader.stats());
    }
  }

  @Test
  void aServiceThatIsBackInTimeCostsARetry(TestReporter reporter) throws Exception {
    startServerWithOutputs();
    try (NodeReader reader = standardReader();
        NodeRun run = locateOnly(reader, OUTPUTS.get(0).id())) {
      run.prefetch(2);
      byte[] head = readSome(run, WINDOW_BYTES);
      server.kill();
      startServer();
      byte[] tail = readAll(run);
      assertEquals(OUTPUT_BYTES, head.length + tail.length);
      byte[] expected = OUTPUTS.get(0).runs().get(0);
      assertTrue(Arrays.equals(expected, 0, head.length, head, 0, head.length));
      assertTrue(Arrays.equals(expected, head.length, OUTPUT_BYTES, tail, 0, tail.length));
      assertTrue(reader.stats().retries() > 0);
      report(reporter, "service killed and restarted in the middle of a run", reader.stats());
    }
  }

  @Test
  void aServiceThatHangsIsStillReadButCannotBeAsked(TestReporter reporter) throws Exception {
    startServerWithOutputs();
    try (NodeReader reader = standardReader();
        NodeReader impatient = reader(4, null, 2_000, LabTransport.provider());
        NodeRun run = locateOnly(reader, OUTPUTS.get(0).id())) {
      readSome(run, 1);
      server.stop();
      readAll(run); // the NIC answers
      assertEquals(OUTPUT_BYTES, reader.stats().bytes(RDMA));
      assertThrows(IOException.class, () -> locateOnly(impatient, OUTPUTS.get(1).id()));
      report(reporter, "service hung", reader.stats());
      server.goOn();
      readAndCheckAll(impatient);
    }
  }

  @Test
  @Tag("campaign")
  void aReaderKilledMidReadLeavesNothingBehind(TestReporter reporter) throws Exception {
    startOwnWithOutputs();
    try (NodeReader other = standardReader()) {
      EndlessReads reads = new EndlessReads(this, other).awaitMore(RDMA, SOME_BYTES);
      long before = openConnections();
      try (ForkedJvm reader = startReader(1_000_000)) {
        reader.awaitLine("read");
        assertEquals(before + 1, openConnections());
        reader.kill();
      }
      Await.until("the dead reader's connection is gone", () -> openConnections() == before);
      reads.awaitMore(RDMA, SOME_BYTES).end();
      report(reporter, "reader killed while it read", other.stats());
    }
    Await.until("no connection is left", () -> openConnections() == 0);
    assertReadsOverVerbs(reporter);
  }

  private long openConnections() {
    return service.counters().transports().get(RDMA).openConnections();
  }
}
