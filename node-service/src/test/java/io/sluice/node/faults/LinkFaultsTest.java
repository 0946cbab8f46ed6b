package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** The link below open connections goes down while nothing is on it. */
class LinkFaultsTest extends VerbsFaultBase {
  @Test
  void aLinkThatWasDownWhileNothingWasReadIsUsedAgain(TestReporter reporter) throws Exception {
    startOwnWithOutputs();
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      device.linkDown();
      device.linkUp();
      readAndCheckAll(reader);
      assertEquals(2L * OUTPUTS.size() * OUTPUT_BYTES, reader.stats().bytes(RDMA));
      report(reporter, "link set down and up between reads", reader.stats());
    }
    assertReadsOverVerbs(reporter);
  }

  @Test
  void aReaderThatStartsWhileTheLinkIsDownReadsOverTcp(TestReporter reporter) throws Exception {
    startOwnWithOutputs();
    device.linkDown();
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      assertEquals((long) OUTPUTS.size() * OUTPUT_BYTES, reader.stats().bytes(TCP));
      report(reporter, "link down before the reader started", reader.stats());
    }
    device.linkUp();
    assertReadsOverVerbs(reporter);
  }
}
