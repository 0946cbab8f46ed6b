package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.FreePorts;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The firewall ends with all that it has opened. */
@Timeout(300)
final class SilentDataPortsTest {
  private final int port = FreePorts.inARow(2);

  @Test
  void aConnectionThatCannotBeClosedLeavesNoOtherOpen() throws IOException {
    IOException broken = new IOException("for a test");
    Socket first =
        new Socket() {
          @Override
          public synchronized void close() throws IOException {
            throw broken;
          }
        };
    Socket second = new Socket();
    SilentDataPorts ports = new SilentDataPorts(port);
    ports.own(first);
    ports.own(second);
    assertSame(broken, assertThrows(IOException.class, ports::close));
    assertTrue(second.isClosed());
    new ServerSocket(port).close();
    new ServerSocket(port + 1).close();
  }

  @Test
  void aConnectionThatWasAcceptedMeanwhileIsClosed() throws IOException {
    Socket late = new Socket();
    SilentDataPorts ports = new SilentDataPorts(port);
    ports.close();
    assertThrows(SocketException.class, () -> ports.own(late));
    assertTrue(late.isClosed());
  }
}
