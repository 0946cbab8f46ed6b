package io.sluice.rdma.transport.verbs;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * What connections over a real RDMA device leave behind, by the kernel's account; skipped where
 * there is no device.
 */
@Tag("campaign") // a minute in the lab
@Timeout(600)
class VerbsConnectsTest {
  private static final long LONG_MS = 120_000;
  private static final int CONNECTS = 1_000;
  private static final int AT_A_TIME = 10;
  private static final int BYTES = 4096;

  private final VerbsProvider provider =
      RealVerbs.orSkip(VerbsConnectsTest.class, VerbsNetwork.DEFAULT);
  private final LeakCheck leaks = new LeakCheck();
  private final ByteBuffer memory = OffHeap.allocate(BYTES);
  private final ByteBuffer target = OffHeap.allocate(BYTES);

  @AfterEach
  void freeMemory() throws Exception {
    OffHeap.free(memory);
    OffHeap.free(target);
    leaks.check();
  }

  @Test
  void aThousandConnectsAndEndsLeaveNothing(TestReporter reporter) throws Exception {
    connectAndEnd(AT_A_TIME); // the JVM opens some descriptors for good
    KernelObjects before = KernelObjects.now();
    long startNanos = System.nanoTime();
    KernelObjects open = connectAndEnd(CONNECTS);
    reporter.publishEntry(
        "verbs",
        "%,d connects and ends in %,d ms; before and after: %s; with the endpoints open: %s"
            .formatted(
                CONNECTS,
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos),
                before,
                open));
    KernelObjects.awaitAgain(before);
  }

  /** Returns what there is before the first and after the last connection of two endpoints. */
  private KernelObjects connectAndEnd(int connects) throws Exception {
    try (ServerEndpoint server = provider.listen(new InetSocketAddress(RdmaAddress.find(), 0));
        ClientEndpoint client = provider.openClient()) {
      RegionDescriptor region = server.register(MemoryRegion.ofMapping(memory));
      RegisteredBuffer landing = client.register(target);
      KernelObjects open = KernelObjects.now();
      for (int done = 0; done < connects; done += AT_A_TIME) {
        connectReadAndEnd(server, client, region, landing);
      }
      KernelObjects.awaitAgain(open);
      return open;
    }
  }

  /** Half of them end by the reader, the others by a refusal of the NIC. */
  private static void connectReadAndEnd(
      ServerEndpoint server, ClientEndpoint client, RegionDescriptor region, RegisteredBuffer to)
      throws Exception {
    List<Connection> connections = new ArrayList<>();
    for (int i = 0; i < AT_A_TIME; i++) {
      Connection connection = client.connect(server.address(), LONG_MS);
      connections.add(connection);
      connection.read(region, 0, to, 0, BYTES, LONG_MS).get(LONG_MS, TimeUnit.MILLISECONDS);
    }
    RegionDescriptor longer =
        new RegionDescriptor(
            region.regionId(), region.key(), 2 * region.lengthBytes(), region.providerData());
    for (int i = 0; i < AT_A_TIME; i += 2) {
      CompletableFuture<Void> refused =
          connections.get(i).read(longer, BYTES, to, 0, BYTES, LONG_MS);
      assertThrows(ExecutionException.class, () -> refused.get(LONG_MS, TimeUnit.MILLISECONDS));
    }
    connections.forEach(Connection::close);
  }
}
