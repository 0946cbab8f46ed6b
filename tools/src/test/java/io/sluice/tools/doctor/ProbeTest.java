package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.node.probe.Prober;
import io.sluice.node.probe.Prober.ProbePlan;
import io.sluice.node.probe.Prober.ProbeResult;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.tools.doctor.Probe.HostPort;
import io.sluice.tools.doctor.Probe.ProbeService;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class ProbeTest {
  private static final HostPort NODE1 = new HostPort("node1", 17562);

  private static ProbeResult works(String name, long medianNs, long bytesPerSecond) {
    ProbeResult.Speed speed =
        new ProbeResult.Speed(1000, 4096, medianNs, 2 * medianNs, 1024, 1 << 20, 4, bytesPerSecond);
    return new ProbeResult(name, Optional.of(speed), "");
  }

  private static ProbeResult fails(String name) {
    return new ProbeResult(name, Optional.empty(), name + ": the link is down");
  }

  @Test
  void theTableComparesWithTcp() {
    Probe probe =
        Probe.of(
            NODE1,
            List.of(works("verbs", 2000, 10L << 30), fails("ucx"), works("tcp", 40_000, 1L << 30)));
    assertTrue(probe.anyWorks());
    assertEquals(
        """
        Reads from node1:17562; "x tcp" is the speed relative to tcp
        transport  4 KiB: median      p99  x tcp  1 MiB, 4 at a time  x tcp
        -------------------------------------------------------------------
        verbs             2.0 us   4.0 us  20.00            10 GiB/s  10.00
        tcp              40.0 us  80.0 us   1.00             1 GiB/s   1.00
        ucx: the link is down\
        """,
        probe.toText());
  }

  @Test
  void withoutTcpThereIsNothingToCompareWith() {
    String text = Probe.of(NODE1, List.of(works("verbs", 2000, 10L << 30))).toText();
    assertTrue(text.endsWith("4.0 us      -            10 GiB/s      -"), text);
  }

  @Test
  void nothingThatWorksIsSaid() {
    Probe probe = Probe.of(NODE1, List.of(fails("verbs"), fails("tcp")));
    assertFalse(probe.anyWorks());
    assertEquals(
        """
        No transport works between this host and node1:17562:
        verbs: the link is down
        tcp: the link is down\
        """,
        probe.toText());
  }

  @Test
  void jsonHasSpeedOrCause() throws Exception {
    ObjectMapper mapper = new ObjectMapper();
    JsonNode json =
        mapper.valueToTree(Probe.of(NODE1, List.of(works("verbs", 2000, 10L << 30), fails("ucx"))));
    assertEquals(17_562, json.get("port").asInt());
    assertEquals(2000, json.at("/transports/0/speed/medianNs").asLong());
    assertFalse(json.at("/transports/0").has("cause"));
    assertEquals("ucx: the link is down", json.at("/transports/1/cause").asText());
    assertFalse(json.at("/transports/1").has("speed"));
  }

  @Test
  void aServiceCanBeProbedWithoutACluster() throws Exception {
    InetSocketAddress address;
    Prober prober =
        new Prober(
            List.of(new TcpProvider()), new ProbePlan(10, 4096, 4, 1 << 20, 2, 60_000), 20_000);
    try (ProbeService service = ProbeService.start(0, List.of(new TcpProvider()))) {
      address = new InetSocketAddress(InetAddress.getLoopbackAddress(), service.port());
      assertTrue(prober.probe(address).get(0).speed().isPresent());
    }
    assertThrows(java.io.IOException.class, () -> prober.probe(address));
  }

  @Test
  void hostsAreReadAsPeopleWriteThem() {
    assertEquals(NODE1, HostPort.parse("node1"));
    assertEquals(new HostPort("10.0.0.1", 7), HostPort.parse("10.0.0.1:7"));
    assertEquals(new HostPort("fd00::1", 7), HostPort.parse("[fd00::1]:7"));
    assertEquals(new HostPort("fd00::1", 17_562), HostPort.parse("[fd00::1]"));
    for (String wrong : List.of("", ":7", "node1:", "node1:0", "node1:65536", "a:b", "fd00::1")) {
      assertThrows(IllegalArgumentException.class, () -> HostPort.parse(wrong), wrong);
    }
  }
}
