package io.sluice.it.lab;

import io.sluice.it.cluster.PeerHost;
import io.sluice.it.cluster.Poll;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Memory of a process of another host, which serves it until it is killed.
 *
 * @param process of that host
 * @param address where it listens
 * @param region that holds {@link #bytes}
 */
record ServedMemory(Process process, InetSocketAddress address, RegionDescriptor region)
    implements AutoCloseable {
  static final int LENGTH_BYTES = 8 << 20;
  private static final Duration START_DEADLINE = Duration.ofMinutes(3);
  private static final long MOST_MINUTES = 20; // should nobody kill it

  /** Starts the process, which listens on an address of its host. */
  static ServedMemory start(PeerHost host, String address) throws IOException {
    Path directory =
        Files.createDirectories(
            LabCluster.share().resolve("served-" + address.replaceAll("\\W", "-")));
    Path said = directory.resolve("place");
    Process process =
        host.start(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                ServedMemory.class.getName(),
                address,
                said.toString()),
            Map.of(),
            directory.resolve("log"));
    String[] place =
        Poll.until(
                "served memory; see " + directory,
                START_DEADLINE,
                () -> Files.exists(said) ? Optional.of(Files.readString(said)) : Optional.empty())
            .split(" ");
    return new ServedMemory(
        process,
        new InetSocketAddress(address, Integer.parseInt(place[0])),
        RegionDescriptor.decode(ByteBuffer.wrap(HexFormat.of().parseHex(place[1]))));
  }

  /** What it holds, in every process. */
  static byte[] bytes() {
    byte[] bytes = new byte[LENGTH_BYTES];
    new Random(7).nextBytes(bytes);
    return bytes;
  }

  /** That process: its arguments are the address and the file that gets port and region. */
  public static void main(String[] args) throws Exception {
    ByteBuffer memory = OffHeap.allocate(LENGTH_BYTES);
    memory.duplicate().put(bytes());
    try (ServerEndpoint server =
        LabTransport.provider().listen(new InetSocketAddress(args[0], 0))) {
      RegionDescriptor region = server.register(MemoryRegion.ofMapping(memory));
      String place = server.address().getPort() + " " + HexFormat.of().formatHex(region.encode());
      Path said = Path.of(args[1]);
      Path written = Files.writeString(said.resolveSibling("written"), place);
      Files.move(written, said, StandardCopyOption.ATOMIC_MOVE);
      new CountDownLatch(1).await(MOST_MINUTES, TimeUnit.MINUTES);
    } finally {
      OffHeap.free(memory);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
