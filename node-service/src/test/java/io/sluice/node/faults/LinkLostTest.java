package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * The link goes down while reads are on it.
 *
 * <p>Comes after all other classes that need the soft device: a message that it could not send
 * while its link was down can put the queue pair of its connection manager into the error state for
 * good (kernel 6.1), and nothing connects to it any more until it is made anew.
 */
class LinkLostTest extends VerbsFaultBase {
  private static final long SOME_BYTES = 500_000;

  @Test
  void readsGoOnOverTcp(TestReporter reporter) throws Exception {
    startOwnWithOutputs();
    try (NodeReader reader = standardReader()) {
      EndlessReads reads = new EndlessReads(this, reader).awaitMore(RDMA, SOME_BYTES);
      device.linkDown();
      reads.awaitRetry();
      reads.awaitMore(TCP, SOME_BYTES);
      device.linkUp();
      reads.awaitMore(TCP, SOME_BYTES).end();
      assertEquals(1, reader.stats().transportFallbacks());
      report(reporter, "link set down and up under reads", reader.stats());
    }
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      assertTrue(reader.stats().transportFallbacks() <= 1);
      report(reporter, "new reader after the link is back", reader.stats());
    }
  }
}
