package io.sluice.node.faults;

import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.testing.TestService;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * A node service in a process of its own, with the transports a NodeManager would choose. Says
 * {@code ready}, answers every line with its counters, closes at the end of its input.
 */
final class ServiceMain {
  private static final int SEGMENTS = 8;
  private static final int BOUNCE_BYTES = 4 << 20;

  private ServiceMain() {}

  /** A service in {@code directory}, whose pool is kept if there is one. */
  static ServiceContext context(Path directory) {
    return TestService.inMemory(directory, SEGMENTS).bounceMemory(BOUNCE_BYTES).recover(true);
  }

  /** Starts such a service at one address. */
  static NodeService start(Path directory, InetAddress address, int port) throws Exception {
    return NodeService.start(
        context(directory).transports(VerbsReadsBase.transports()).listen(address, port));
  }

  public static void main(String[] args) throws Exception {
    try (NodeService service =
            start(Path.of(args[0]), InetAddress.getByName(args[1]), Integer.parseInt(args[2]));
        BufferedReader input =
            new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
      System.out.println("ready " + service.endpoints().listening());
      while (input.readLine() != null) {
        System.out.println("counters " + service.counters().transports());
      }
    }
    System.out.println("closed");
  }
}
