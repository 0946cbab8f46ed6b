package io.sluice.it.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
final class PortsTest {
  private static final int MANY = 90;

  /** Prints its ports, and lives until its input ends. */
  static final class Other {
    public static void main(String[] args) throws IOException {
      for (int i = 0; i < MANY; i++) {
        System.out.println(Ports.take());
      }
      System.in.read();
    }
  }

  @Test
  void processesSideBySideTakeNoneOfEachOthers() throws Exception {
    Set<Integer> ports = new HashSet<>();
    Process other =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Other.class.getName())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    try (BufferedReader lines = new BufferedReader(new InputStreamReader(other.getInputStream()))) {
      for (int i = 0; i < MANY; i++) {
        assertTrue(ports.add(Integer.parseInt(lines.readLine())));
      }
      for (int i = 0; i < MANY; i++) {
        assertTrue(ports.add(Ports.take()), "handed out twice");
      }
      other.getOutputStream().close();
      assertEquals(0, other.waitFor());
    } finally {
      other.destroyForcibly();
    }
  }

  @Test
  void noneThatIsListenedOn() throws IOException {
    Set<Integer> ports = new HashSet<>();
    int port = Ports.take();
    try (ServerSocket socket = new ServerSocket()) {
      socket.setReuseAddress(true);
      socket.bind(new InetSocketAddress(port));
      for (int i = 0; i < 2 * MANY; i++) {
        ports.add(Ports.take());
      }
      assertTrue(!ports.contains(port) && ports.size() > MANY, ports.toString());
    }
  }
}
