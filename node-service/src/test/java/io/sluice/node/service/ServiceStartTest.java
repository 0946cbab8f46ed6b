package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.security.auth.module.UnixSystem;
import io.sluice.node.client.NodeReader;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.TestOutput;
import io.sluice.node.wire.OpenSockets;
import io.sluice.rdma.transport.tcp.TcpProvider;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
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
                inMemory(2, new TcpProvider())
                    .listen(LOOPBACK, controlPort)
                    .recover(recover)
                    .start());
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
    service = inMemory(2, new TcpProvider()).listen(LOOPBACK, port).start();
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

  @Test
  void servesWithTheTransportsThatCanListen() throws IOException {
    int port = FreePorts.inARow(3);
    try (ServerSocket other = occupy(port + 1)) {
      service =
          inMemory(2, new NamedProvider("first"), new TcpProvider())
              .listen(LOOPBACK, other.getLocalPort() - 1)
              .start();
    }
    assertEquals(List.of("tcp"), List.copyOf(service.transportCounters().keySet()));
  }
}
