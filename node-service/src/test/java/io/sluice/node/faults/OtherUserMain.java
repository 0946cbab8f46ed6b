package io.sluice.node.faults;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.ReadStats;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Random;

/** A task of another user than the service's: writes an output, and reads it as a reducer would. */
final class OtherUserMain {
  private static final long TIMEOUT_MS = 120_000;
  private static final int WINDOW_BYTES = 64 << 10;

  private OtherUserMain() {}

  /** What it writes. */
  static TestOutput output(int lengthBytes) {
    return TestOutput.single(new Random(1), "attempt_1", lengthBytes);
  }

  /** Takes what the service says of itself, the application, its secret and the output's length. */
  public static void main(String[] args) throws Exception {
    NodeMetadata service = NodeMetadata.decode(Base64.getDecoder().decode(args[0]));
    JobSecret secret = new JobSecret(args[2].getBytes(StandardCharsets.US_ASCII));
    Path socket = service.address().socket();
    TestOutput output = output(Integer.parseInt(args[3]));
    try (SocketClient task =
        SocketClient.connect(socket, service.owner(), args[1], secret, TIMEOUT_MS)) {
      output.commit(args[1], task);
      LocalPool pool = new LocalPool(service.poolId(), task.places(), task.opener());
      Transports tcp = new Transports(List.of(new TcpProvider()), WINDOW_BYTES, 2 * WINDOW_BYTES);
      NodeAddress address =
          new NodeAddress(
              "node1",
              new InetSocketAddress(
                  InetAddress.getLoopbackAddress(), service.address().controlPort()));
      try (NodeReader reader =
          new NodeReader(args[1], secret, tcp, pool, Timeouts.all(TIMEOUT_MS))) {
        NodeRun run =
            reader
                .locate(address, PartitionRange.one(0), List.of(output.id()))
                .get(output.id())
                .get(0);
        byte[] bytes = new byte[(int) output.totalBytes()];
        int n = 0;
        while (n < bytes.length) {
          n += run.input().read(bytes, n, bytes.length - n);
        }
        run.input().close();
        if (!Arrays.equals(output.runs().get(0), bytes)) {
          throw new IllegalStateException("other bytes than were written");
        }
        System.out.println("read locally " + reader.stats().bytes(ReadStats.LOCAL));
      }
    } catch (java.io.IOException e) {
      System.out.println("failed: " + e.getMessage());
    }
  }
}
