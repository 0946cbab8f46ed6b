package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.conf.DataAddress;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.TestService;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.rdma.transport.verbs.RdmaAddresses.Missed;
import io.sluice.rdma.transport.verbs.VerbsProvider;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** From settings to a running service, and what is said of those that do not work. */
class ServiceContextTest extends NodeTestBase {
  @Test
  void transportAndMediumAreChosenByTheirSettings() throws IOException {
    service =
        NodeService.start(
            TestService.inMemory(home(), 1)
                .transport("tcp")
                .medium("emulated:3:plain")
                .listen(LOOPBACK, 0));
    assertEquals(Set.of("tcp"), service.counters().transports().keySet());
    assertEquals("emulated:3.0:plain", service.metadata().address().medium());
    assertEquals("emulated:3.0:plain", service.medium().name());
  }

  /** Half of the files that a process may have open are for connections of all kinds. */
  @Test
  void connectionsAreAsManyAsOpenFilesSufficeFor() {
    ConnectionLimits set = ConnectionLimits.DEFAULT;
    assertEquals(set, ServiceContext.fitting(set, 1, 32_768));
    ConnectionLimits fewer = ServiceContext.fitting(set, 1, 4_096);
    assertEquals(256, fewer.maxConnections());
    assertEquals(set.maxUnauthenticated(), fewer.maxUnauthenticated());
    assertEquals(227, ServiceContext.fitting(set, 2, 4_096).maxConnections());
    assertEquals(64, ServiceContext.fitting(set, 1, 1_024).maxUnauthenticated());
    assertEquals(1, ServiceContext.fitting(set, 1, 15).maxConnections());
  }

  /** Answers go another way. */
  private void assertShortRunsAreReadToo() throws IOException {
    commit(TestOutput.single(seeded("short run"), "attempt_1", 100));
    try (NodeReader reader = reader(2, null, TIMEOUT_MS, new TcpProvider())) {
      NodeRun run =
          reader
              .fetch(address(), PartitionRange.one(0), List.of("attempt_1"))
              .get("attempt_1")
              .get(0);
      assertEquals(100, readAll(run).length);
      assertEquals(Map.of("tcp", 100L), reader.stats().bytesByWay());
    }
  }

  @Test
  void dataGoesThroughTheDataAddressAlone() throws IOException {
    service =
        NodeService.start(
            withDisk(1, new TcpProvider()).dataAddress(new DataAddress("test.data", "127.0.0.2")));
    TestOutput output = TestOutput.random(seeded("data address"), "attempt_0", 3, 3 << 20);
    commit(output);
    try (NodeReader reader = reader(2, null, TIMEOUT_MS, new TcpProvider())) {
      assertReads(reader, List.of(output));
      assertEquals(output.totalBytes(), reader.stats().bytes("tcp"));
    }
    assertShortRunsAreReadToo();
    InetSocketAddress data = service.endpoints().address("tcp");
    assertEquals("127.0.0.2", data.getAddress().getHostAddress());
    assertEquals("tcp at 127.0.0.2 port " + data.getPort(), service.endpoints().listening());
    List<ProbeOffer> probes = service.readers().probe();
    assertEquals(List.of("127.0.0.2"), probes.stream().map(each -> each.offer().host()).toList());
    for (int port : List.of(data.getPort(), probes.get(0).offer().port())) {
      assertThrows(ConnectException.class, () -> new Socket(LOOPBACK, port).close());
    }
  }

  /** Else it would pin its pool, and each reader would try in vain. */
  @Test
  void rdmaThatReadersDoNotReachIsNotServed() throws IOException {
    List<TransportProvider> both = List.of(new VerbsProvider(), new TcpProvider());
    assertEquals(both, ServiceContext.reached(both, false, Optional.empty()));
    assertEquals(both, ServiceContext.reached(both, true, Optional.empty()));
    Missed missed = new Missed("readers go elsewhere", "set test.data");
    assertEquals(List.of(both.get(1)), ServiceContext.reached(both, false, Optional.of(missed)));
    assertEquals(both, ServiceContext.reached(both, true, Optional.of(missed)));
  }

  @Test
  void settingsThatNameNothingAreRefused() {
    assertRefused("carrier-pigeon", TestService.inMemory(home(), 1).transport("carrier-pigeon"));
    DataAddress unknown = new DataAddress("test.data", "ib99");
    assertRefused("test.data is 'ib99'", inMemory(1, new TcpProvider()).dataAddress(unknown));
    assertRefused("papyrus", inMemory(1, new TcpProvider()).medium("papyrus"));
  }

  @Test
  void aPlaceThatIsRefusedNamesItsSetting() throws IOException {
    Files.createSymbolicLink(home(), directory);
    assertRefused("remove it, or set test.dir", inMemory(1, new TcpProvider()));
  }

  @Test
  void othersPassToTheSocketAndSeeNothing() throws IOException {
    Path configured = directory.resolve("configured/deep");
    ServiceDirectories place = ServiceDirectories.of(configured, directory.resolve("standard"));
    place.prepare("", ServedUsers.ALL);
    assertEquals("rwx--x--x", mode(configured.getParent()));
    assertEquals("rwx--x--x", mode(configured));
    assertEquals("rwx------", mode(place.pool()));
    assertEquals(Optional.of(directory), place.closedToOthers());
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx--x--x"));
    assertEquals(Optional.empty(), place.closedToOthers());
    place.prepare("", ServedUsers.OWN);
    assertEquals("rwx------", mode(configured));
  }

  private static String mode(Path path) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }

  @Test
  void aDirectoryOfFilesHoldsAllOfIt() throws IOException {
    Path configured = directory.resolve("configured/deep");
    ServiceDirectories place = ServiceDirectories.of(configured, directory.resolve("standard"));
    assertEquals(ServiceDirectories.in(configured, PoolVisibility.ANNOUNCED), place);
    place.prepare("", ServedUsers.OWN);
    for (Path each : new Path[] {configured, place.pool()}) {
      assertEquals("rwx------", mode(each));
    }
  }

  private static void assertRefused(String why, ServiceContext builder) {
    String message = assertThrows(IOException.class, () -> NodeService.start(builder)).getMessage();
    assertTrue(message.contains(why), message);
  }
}
