package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.node.client.NodeReader;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.node.wire.OpenSockets;
import io.sluice.rdma.transport.Admission;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

/** A start that fails leaves nothing behind and harms nobody. */
class ServiceStartTest extends NodeTestBase {
  private IOException failedStart(int controlPort, boolean recover) throws IOException {
    int openSockets = OpenSockets.count();
    IOException e =
        assertThrows(
            IOException.class,
            () ->
                NodeService.start(
                    inMemory(2, new TcpProvider()).listen(LOOPBACK, controlPort).recover(recover)));
    assertTrue(OpenSockets.count() <= openSockets, "open sockets before and after");
    return e;
  }

  private static ServerSocket occupy(int port) throws IOException {
    return new ServerSocket(port, 1, LOOPBACK);
  }

  @Test
  void aControlPortInUseIsNamed() throws IOException {
    int port = FreePorts.inARow(3);
    try (ServerSocket other = occupy(port)) {
      IOException e = failedStart(other.getLocalPort(), false);
      assertTrue(e.getMessage().contains(":" + port), e.getMessage());
      assertTrue(e.getMessage().contains("free port"), e.getMessage());
    }
    service = NodeService.start(inMemory(2, new TcpProvider()).listen(LOOPBACK, port));
  }

  /**
   * The ports are tried in turn, and the pool of the life before is to be there at the next one.
   */
  @Test
  void aControlPortInUseLeavesThePoolAsItWas() throws IOException {
    start(4);
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100_000);
    commit(output);
    service.close();
    try (ServerSocket other = occupy(FreePorts.inARow(3))) {
      failedStart(other.getLocalPort(), false);
    }
    service = NodeService.start(inMemory(4, new TcpProvider()).recover(true));
    assertEquals(1, service.store().stats().outputs());
  }

  @Test
  void aTransportPortInUseIsNamed() throws IOException {
    int port = FreePorts.inARow(3);
    try (ServerSocket other = occupy(port + 1)) {
      IOException e = failedStart(port, false);
      assertTrue(e.getMessage().contains(":" + other.getLocalPort()), e.getMessage());
      assertTrue(e.getMessage().contains("no transport can listen"), e.getMessage());
    }
  }

  @Test
  void aSecondServiceOnTheSameDirectoryHarmsNotTheFirst() throws IOException {
    start(4);
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", 100_000);
    commit(output);
    for (boolean recover : new boolean[] {false, true}) {
      IOException e = failedStart(0, recover);
      assertTrue(e.getMessage().contains("in use by another store"), e.getMessage());
    }
    TestOutput later = TestOutput.single(new Random(2), "attempt_1", 100_000);
    commit(later); // the socket is still there and the first one's
    assertEquals(1, Files.list(home().resolve("applications")).count());
    try (NodeReader reader = tcpReader(4)) {
      assertReads(reader, List.of(output, later));
    }
  }

  @Test
  void aDirectoryOfAnotherUserIsRefused() throws IOException {
    Assumptions.assumeTrue(
        new UnixSystem().getUid() == 0, "only root can give a directory to another user");
    Files.createDirectories(home());
    Files.setAttribute(home(), "unix:uid", 65534);
    IOException e = failedStart(0, false);
    assertTrue(e.getMessage().contains("user id 65534"), e.getMessage());
    assertEquals(0, Files.list(home()).count());
  }

  @Test
  void aLinkInPlaceOfTheDirectoryIsRefused() throws IOException {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createSymbolicLink(home(), elsewhere);
    failedStart(0, false);
    assertEquals(0, Files.list(elsewhere).count());
  }

  /** It would serve with the other transport alone, which may be much slower. */
  @Test
  void whoHasOtherPortsToTryHearsOfEachThatIsTaken() throws IOException {
    int port = FreePorts.inARow(3);
    for (int taken : List.of(port, port + 1, port + 2)) {
      ServiceContext service =
          inMemory(2, new NamedProvider("first"), new TcpProvider())
              .listen(LOOPBACK, port)
              .needsAllPorts();
      int openSockets = OpenSockets.count();
      try (ServerSocket other = occupy(taken)) {
        IOException e = assertThrows(IOException.class, () -> NodeService.start(service));
        assertTrue(PortPlan.isConflict(e), e.toString());
        assertTrue(e.getMessage().contains(":" + other.getLocalPort()), e.getMessage());
      }
      assertTrue(OpenSockets.count() <= openSockets, "open sockets before and after");
    }
    service =
        NodeService.start(
            inMemory(2, new NamedProvider("first"), new TcpProvider())
                .listen(LOOPBACK, port)
                .needsAllPorts());
    assertEquals(List.of("first", "tcp"), List.copyOf(service.counters().transports().keySet()));
  }

  /** A transport that cannot listen at any port keeps nobody from serving with the others. */
  @Test
  void onlyAPortThatIsTakenIsWorthTryingOthers() throws IOException {
    TransportProvider noDevice =
        new FailingProvider("ucx: listening on 127.0.0.1 failed: No such device");
    service = NodeService.start(inMemory(2, noDevice, new TcpProvider()).needsAllPorts());
    assertEquals(List.of("tcp"), List.copyOf(service.counters().transports().keySet()));
    service.close();
    for (String said :
        List.of("UcxException: Device is busy", "rdma_bind_addr: Address already in use")) {
      ServiceContext busy =
          inMemory(2, new FailingProvider(said), new TcpProvider())
              .listen(LOOPBACK, FreePorts.inARow(3))
              .needsAllPorts();
      assertTrue(
          PortPlan.isConflict(assertThrows(IOException.class, () -> NodeService.start(busy))),
          said);
      service =
          NodeService.start(
              inMemory(2, new FailingProvider(said), new TcpProvider()).needsAllPorts());
      assertEquals(Set.of("tcp"), service.counters().transports().keySet(), "any port will do");
      service.close();
    }
  }

  /** Other ports would be refused as well, or for the same reason. */
  @Test
  void aPortOrAnAddressThatNobodyMayHaveIsNotTaken() {
    assertTrue(PortPlan.isConflict(new BindException("Address already in use")));
    assertTrue(PortPlan.isConflict(new BindException()));
    for (String said : List.of("Permission denied", "Cannot assign requested address")) {
      assertFalse(PortPlan.isConflict(new BindException(said)), said);
      assertFalse(PortPlan.isConflict(new IOException(new BindException(said))), said);
    }
  }

  /** Says why it cannot listen as libraries of RDMA do: in words. */
  private static final class FailingProvider extends WrappedTcp {
    private final String why;

    FailingProvider(String why) {
      this.why = why;
    }

    @Override
    public String name() {
      return "failing";
    }

    @Override
    public ServerEndpoint listen(InetSocketAddress bindAddress, Admission admission)
        throws TransportException {
      throw new TransportException(why);
    }
  }

  /** As that of {@code doctor --serve}. */
  @Test
  void probesOfMoreTransportsThanUsualListenBehindThem() throws IOException {
    List<TransportProvider> all = new ArrayList<>();
    TransportNames.BEST_FIRST.forEach(name -> all.add(new NamedProvider(name)));
    int port = FreePorts.inARow(1 + 2 * all.size());
    service =
        NodeService.start(
            inMemory(1, all.toArray(TransportProvider[]::new)).listen(LOOPBACK, port));
    List<Integer> ports = new ArrayList<>();
    TransportNames.BEST_FIRST.forEach(
        name -> ports.add(service.endpoints().address(name).getPort()));
    service.readers().probe().forEach(probe -> ports.add(probe.offer().port()));
    assertEquals(IntStream.rangeClosed(port + 1, port + 2 * all.size()).boxed().toList(), ports);
  }

  @Test
  void servesWithTheTransportsThatCanListen() throws IOException {
    int port = FreePorts.inARow(3);
    try (ServerSocket other = occupy(port + 1)) {
      service =
          NodeService.start(
              inMemory(2, new NamedProvider("first"), new TcpProvider())
                  .listen(LOOPBACK, other.getLocalPort() - 1));
    }
    assertEquals(List.of("tcp"), List.copyOf(service.counters().transports().keySet()));
  }
}
