package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.conf.DataAddress;
import io.sluice.node.service.NodeService;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.testing.DummyInterface;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;

/** The host has a network without RDMA beside the RDMA device's, and its name means that one. */
class HostNameNetworkTest extends VerbsFaultBase {
  private static final String NAME = "sluice-lan";
  private static final Path HOSTS = Path.of("/etc/hosts");
  private static final long ROUND_BYTES = (long) OUTPUTS.size() * OUTPUT_BYTES;

  private DummyInterface lan; // null before it is made
  private String hosts; // null before the name is added

  @BeforeEach
  void nameTheLan() throws IOException {
    lan = DummyInterface.add("dummy2", "10.79.0.1");
    hosts = Files.readString(HOSTS);
    Files.writeString(HOSTS, hosts + lan.address().getHostAddress() + " " + NAME + "\n");
  }

  @AfterEach
  void removeTheLan() throws IOException {
    if (hosts != null) {
      Files.writeString(HOSTS, hosts);
    }
    if (lan != null) {
      lan.remove();
    }
  }

  /** Readers find the service by the host's name. */
  @Override
  protected NodeAddress address() {
    return new NodeAddress("node1", new InetSocketAddress(NAME, port));
  }

  /** Starts a service as a NodeManager does, gives it the outputs, and returns its log. */
  private String start(String transport, String dataAddress) throws IOException {
    PrintStream before = System.err;
    ByteArrayOutputStream log = new ByteArrayOutputStream();
    System.setErr(new PrintStream(log, true, StandardCharsets.UTF_8));
    try {
      service =
          NodeService.start(
              ServiceMain.context(home())
                  .transport(transport)
                  .listen(port)
                  .dataAddress(new DataAddress("test.data", dataAddress))
                  .host(() -> NAME));
    } finally {
      System.setErr(before);
    }
    commitOutputs();
    return log.toString(StandardCharsets.UTF_8);
  }

  /** What the service found out about this host. */
  private String missed() {
    return ("readers find this host at %s (%s), which is no address of an RDMA port;"
            + " RDMA port %s:1 has %s and ")
        .formatted(
            NAME, lan.address().getHostAddress(), device.name(), device.address().getHostAddress());
  }

  private String fix() {
    return "; set test.data to %s, or to its subnet".formatted(device.address().getHostAddress());
  }

  private static void assertSays(String log, String... parts) {
    for (String part : parts) {
      assertTrue(log.contains(part), () -> "not said: " + part + "\nin: " + log);
    }
  }

  @Test
  void autoServesOverTcpAloneAndSaysWhatToSet(TestReporter reporter) throws IOException {
    String log = start(TransportChooser.AUTO, "");
    assertSays(log, "Not serving over verbs: " + missed(), fix());
    assertEquals(Set.of(TCP), service.counters().transports().keySet());
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      assertEquals(Map.of(TCP, ROUND_BYTES), reader.stats().bytesByWay());
      assertEquals(0, reader.stats().transportFallbacks());
      report(reporter, "auto, the host's name is of another network", reader.stats());
    }
  }

  /** Readers may resolve the name otherwise; those that do not use tcp. */
  @Test
  void verbsByNameIsServedAndWarns(TestReporter reporter) throws IOException {
    String log = start(RDMA, "");
    assertSays(log, "Readers may have to use tcp although verbs is configured: " + missed(), fix());
    assertEquals(List.of(RDMA, TCP), List.copyOf(service.counters().transports().keySet()));
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      assertEquals(Map.of(TCP, ROUND_BYTES), reader.stats().bytesByWay());
      assertEquals(1, reader.stats().transportFallbacks());
      report(reporter, "verbs, the host's name is of another network", reader.stats());
    }
  }

  @Test
  void withTheRdmaNetworkAsDataAddressVerbsServes(TestReporter reporter) throws IOException {
    String log = start(TransportChooser.AUTO, device.address().getHostAddress() + "/24");
    assertFalse(log.contains("readers find this host"), log);
    assertEquals(List.of(RDMA, TCP), List.copyOf(service.counters().transports().keySet()));
    assertReadsOverVerbs(reporter);
  }
}
