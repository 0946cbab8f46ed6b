package io.sluice.bench.node;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.spark.SparkNodeService;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.socket.ServiceFile;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * A node service in a process of its own, which listens at all addresses of this host, so that it
 * can be taken for thousands of nodes.
 *
 * <p>It holds {@value #OUTPUTS} outputs of one run of {@value #RUN_BYTES} bytes each.
 *
 * <p>Ownership: the caller of {@link #start} closes it.
 */
final class CrowdNode implements AutoCloseable {
  static final int OUTPUTS = 20; // as many as a reducer asks for at once
  static final int RUN_BYTES = 256 << 10;
  static final int WINDOW_BYTES = 64 << 10;

  private static final String APPLICATION = "application_1_0001";
  private static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));
  private static final int POOL_MB = 64;
  static final int WINDOWS_BYTES = 64 << 20; // of sluice.reduce.buffer-mb
  private static final long TIMEOUT_MS = 30_000;
  private static final int HOSTS_OF_A_NETWORK = 250;

  private final SparkNodeService service;
  private final int port;

  private CrowdNode(SparkNodeService service, int port) {
    this.service = service;
    this.port = port;
  }

  static CrowdNode start(Workspace workspace, Path directory) throws IOException {
    SparkNodeService service = SparkNodeService.start(workspace, directory, POOL_MB);
    try {
      ServiceAddress address = ServiceFile.read(service.directory());
      try (SocketClient task =
          SocketClient.connect(address.socket(), APPLICATION, SECRET, TIMEOUT_MS)) {
        for (String output : outputs()) {
          commit(task, output);
        }
      }
      return new CrowdNode(service, address.controlPort());
    } catch (IOException | RuntimeException e) {
      service.close();
      throw e;
    }
  }

  private static void commit(SocketClient task, String output) throws IOException {
    byte[] run = new byte[RUN_BYTES];
    new Random(1).nextBytes(run);
    try (OutputWriter writer = new OutputWriter(task, new PlainMedium(), 1, 2L * RUN_BYTES)) {
      writer.beginRun(0);
      writer.write(run, 0, run.length);
      writer.endRun(run.length, 1);
      writer.commit(new OutputId(APPLICATION, output));
    }
  }

  /** The names of its outputs, which are as long as those of map attempts. */
  static List<String> outputs() {
    return IntStream.range(0, OUTPUTS)
        .mapToObj("attempt_1700000000000_0001_m_%06d_0"::formatted)
        .toList();
  }

  /** The address of this node as the node with that number. */
  NodeAddress node(int number) {
    String host =
        "127.%d.%d.%d"
            .formatted(
                1 + number / HOSTS_OF_A_NETWORK / HOSTS_OF_A_NETWORK,
                number / HOSTS_OF_A_NETWORK % HOSTS_OF_A_NETWORK,
                1 + number % HOSTS_OF_A_NETWORK);
    return NodeAddress.ofService(host, port);
  }

  /** A reader as reducers have it by default. */
  static NodeReader reader() {
    return new NodeReader(
        APPLICATION,
        SECRET,
        new Transports(List.of(new TcpProvider()), WINDOW_BYTES, WINDOWS_BYTES),
        null,
        Timeouts.all(TIMEOUT_MS));
  }

  /** A connection over which it can be asked. */
  RemoteClient connect() throws IOException {
    return RemoteClient.connect(
        new InetSocketAddress("127.0.0.1", port), APPLICATION, SECRET, TIMEOUT_MS);
  }

  @Override
  public void close() {
    service.close();
  }
}
