package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.rdma.testing.ForkedJvm;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** Processes that may pin no memory for the NIC. */
class LockedMemoryFaultsTest extends VerbsFaultBase {
  /** Root may pin anything unless it gives that up. */
  private static final String[] PINS_NOTHING = {
    "prlimit",
    "--memlock=65536:65536",
    "setpriv",
    "--bounding-set=-ipc_lock",
    "--inh-caps=-ipc_lock"
  };

  private static final long ALL_BYTES = (long) OUTPUTS.size() * OUTPUT_BYTES;

  @Test
  void aServiceThatMayPinNothingServesOverTcpAndSaysWhy(TestReporter reporter) throws Exception {
    startServerWithOutputs(PINS_NOTHING);
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      assertEquals(ALL_BYTES, reader.stats().bytes(TCP), () -> describe(reader.stats()));
      report(reporter, "service with a memlock limit of 64 KiB", reader.stats());
    }
    assertEquals(0, server.end(), () -> server.log());
    assertTrue(server.log().contains("ulimit -l unlimited"), () -> server.log());
  }

  @Test
  void aReaderThatMayPinNothingReadsOverTcp(TestReporter reporter) throws Exception {
    startOwnWithOutputs();
    try (ForkedJvm reader = startReader(1, PINS_NOTHING)) {
      String stats = "";
      for (int i = 0; i < OUTPUTS.size(); i++) {
        stats = reader.awaitLine("read");
      }
      assertEquals("bytes {tcp=" + ALL_BYTES + "}, retries 0, fallbacks 0", stats);
      reader.awaitLine("closed");
      assertEquals(0, reader.end(), () -> reader.log());
      assertTrue(reader.log().contains("ulimit -l unlimited"), () -> reader.log());
      reporter.publishEntry("fault", "reader with a memlock limit of 64 KiB; reader: " + stats);
    }
    assertReadsOverVerbs(reporter);
  }
}
