package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** The NIC below running readers and services goes away. */
class LinkFaultsTest extends VerbsFaultBase {
  private static final long SOME_BYTES = 500_000;

  @Test
  void readsGoOverTcpWhileTheLinkIsDownAndOverVerbsAfterwards(TestReporter reporter)
      throws Exception {
    startOwnWithOutputs();
    try (NodeReader reader = standardReader()) {
      EndlessReads reads = new EndlessReads(this, reader).awaitMore(UCX, SOME_BYTES);
      device.linkDown();
      reads.awaitRetry();
      reads.awaitMore(TCP, SOME_BYTES);
      device.linkUp();
      reads.end();
      assertEquals(1, reader.stats().transportFallbacks());
      report(reporter, "link set down and up while reads were in flight", reader.stats());
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

  @Test
  void aDeletedDeviceIsSurvivedAndANewOneUsedByANewService(TestReporter reporter) throws Exception {
    startOwnWithOutputs();
    Process delete;
    try (NodeReader reader = standardReader()) {
      EndlessReads reads = new EndlessReads(this, reader).awaitMore(UCX, SOME_BYTES);
      delete = device.startDelete();
      reads.awaitRetry();
      reads.awaitMore(TCP, SOME_BYTES).end();
      assertEquals(1, reader.stats().transportFallbacks());
      report(reporter, "RDMA device deleted while reads were in flight", reader.stats());
    }
    service.close();
    assertTrue(delete.waitFor(30, TimeUnit.SECONDS), "the device is still open somewhere");

    device.mend();
    startOwn();
    assertReadsOverVerbs(reporter);
  }
}
