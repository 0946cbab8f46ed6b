package io.sluice.it.lab;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/**
 * What a connection costs that reads nothing: the mean of many that are open at once, with both
 * ends in this process.
 *
 * @param connectMs from the call until the first read may begin
 * @param files descriptors
 * @param threads of the JVM and of native code
 * @param pinnedBytes counted against the limit on locked memory
 * @param memoryBytes of processes and kernel
 */
record ConnectionCost(
    double connectMs, double files, double threads, double pinnedBytes, double memoryBytes) {
  private static final long TIMEOUT_MS = 60_000;

  /** Makes so many connections, one after the other, and ends them all. */
  static ConnectionCost of(TransportProvider provider, InetAddress address, int count)
      throws IOException {
    List<Connection> connections = new ArrayList<>(count);
    try (ServerEndpoint server = provider.listen(new InetSocketAddress(address, 0));
        ClientEndpoint client = provider.openClient()) {
      client.connect(server.address(), TIMEOUT_MS).close(); // and what all of them share
      MachineUse use = new MachineUse();
      long startNs = System.nanoTime();
      for (int i = 0; i < count; i++) {
        connections.add(client.connect(server.address(), TIMEOUT_MS));
      }
      double connectMs = (System.nanoTime() - startNs) / 1e6 / count;
      ConnectionCost cost =
          new ConnectionCost(
              connectMs,
              (double) use.files() / count,
              (double) use.threads() / count,
              (double) use.pinnedBytes() / count,
              (double) use.memoryBytes() / count);
      Closer.all(connections.stream().map(connection -> connection::close));
      return cost;
    }
  }

  @Override
  public String toString() {
    return "connected in %.1f ms; with both ends %.1f descriptors, %.1f threads, %.0f KiB pinned, %.0f KiB of memory; 10,000 would take %.0f MiB"
        .formatted(
            connectMs,
            files,
            threads,
            pinnedBytes / 1024,
            memoryBytes / 1024,
            10_000 * memoryBytes / (1 << 20));
  }
}
