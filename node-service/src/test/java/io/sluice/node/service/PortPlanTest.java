package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.util.List;
import org.junit.jupiter.api.Test;

class PortPlanTest {
  private static PortPlan plan(int controlPort) {
    InetAddress address = InetAddress.getLoopbackAddress();
    return new PortPlan(address, address, List.of(), controlPort);
  }

  @Test
  void probesBeginBehindAllTransports() {
    assertEquals(17_565, plan(17_562).transport(2).getPort());
    assertEquals(17_566, plan(17_562).probePort(2));
    assertEquals(17_566, plan(17_562).probePort(3));
    assertEquals(17_567, plan(17_562).probePort(4));
  }

  @Test
  void freePortsAreTakenForAllOrForNone() {
    assertEquals(0, plan(0).transport(2).getPort());
    assertEquals(0, plan(0).probePort(4));
  }
}
