package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluice.rdma.testing.ForkedJvm;
import io.sluice.rdma.testing.SoftDevice;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/**
 * The RDMA device below a running reader and service is deleted, and its link goes down, as when
 * the card is taken out.
 *
 * <p>The driver of a soft device cannot take it away from a process: the deletion waits until none
 * has it open, and until the link is down, connections go on. So everything runs in processes of
 * its own, and this class before those that may leave the device open in the tests' own.
 */
class DeviceDeletedTest extends VerbsFaultBase {
  private static final long LIMIT_S = 60;

  @Test
  void bothSidesSurviveAndANewDeviceIsUsedByANewService(TestReporter reporter) throws Exception {
    assumeFalse(
        SoftDevice.isOpenHere(), "this process has the device open, so it cannot be deleted");
    startServerWithOutputs();
    Process delete;
    try (ForkedJvm reader = startReader(1_000_000)) {
      assertTrue(reader.awaitLine("read").contains("fallbacks 0"));
      delete = device.startDelete();
      device.linkDown();
      String stats = reader.awaitLine("read");
      while (stats.contains("fallbacks 0")) {
        stats = reader.awaitLine("read");
      }
      reader.say("enough");
      reader.awaitLine("closed");
      assertEquals(0, reader.end(), reader::toString);
      assertTrue(stats.contains("tcp="), stats);
      assertTrue(stats.endsWith("fallbacks 1"), stats);
      reporter.publishEntry("fault", "RDMA device deleted under reads; reader: " + stats);
    }
    assertEquals(0, server.end(), server::toString);
    assertTrue(delete.waitFor(LIMIT_S, TimeUnit.SECONDS), "somebody has the device open");

    device.mend();
    startServer();
    assertReadsOverVerbs(reporter);
  }
}
