package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.Spread;
import io.sluice.rdma.memory.Closing;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.ucx.UcxProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * One-sided reads of a megabyte through UCX, and by {@code ib_read_bw} of perftest, in turn on the
 * same emulated device: what the transport costs beside the verbs below it. It reports, and asserts
 * only that all bytes came, over the device.
 */
@EnabledIfSystemProperty(
    named = LabCluster.SHARE,
    matches = ".+",
    disabledReason = "not in the lab's guest; ./sluice lab bandwidth runs this")
class ReadBandwidthIT {
  private static final int RANGE_BYTES = 1 << 20;
  private static final int RANGES = 16; // of the region that is read again and again
  private static final int READS = 128;
  private static final int ROUNDS = 5;
  private static final int IN_FLIGHT = 4;
  private static final long TIMEOUT_MS = 60_000;

  @Test
  void readsOfAMegabyteBesideIbReadBw(TestReporter reporter) throws IOException {
    List<Double> ratios = new ArrayList<>();
    try (Reads reads = new Reads()) {
      reads.mibPerS(READS); // compiled and warm
      for (int round = 1; round <= ROUNDS; round++) {
        double bare = IbReadBw.mibPerS(RdmaAddress.find(), RANGE_BYTES, READS);
        DeviceCounters device = new DeviceCounters();
        double ours = reads.mibPerS(READS);
        device.assertReceived((long) READS * RANGE_BYTES);
        ratios.add(ours / bare);
        reporter.publishEntry(
            "round-" + round,
            "%d reads of 1 MiB: ucx %.1f MiB/s, ib_read_bw %.1f MiB/s"
                .formatted(READS, ours, bare));
      }
    }
    reporter.publishEntry("ratio", "ucx / ib_read_bw " + Spread.of(ratios).show("%.2f"::formatted));
  }

  /** A server and a client of one process, whose device carries every byte all the same. */
  private static final class Reads implements AutoCloseable {
    private final ByteBuffer source = OffHeap.allocate(RANGES * RANGE_BYTES);
    private final ByteBuffer memory = OffHeap.allocate(IN_FLIGHT * RANGE_BYTES);
    private final ServerEndpoint server;
    private final ClientEndpoint client;
    private final RegisteredBuffer landing;
    private final RegionDescriptor region;
    private final Connection connection;

    Reads() throws IOException {
      for (int range = 0; range < RANGES; range++) {
        source.put(range * RANGE_BYTES, (byte) (range + 1));
        source.put((range + 1) * RANGE_BYTES - 1, (byte) -range);
      }
      UcxProvider provider = new UcxProvider();
      server = provider.listen(new InetSocketAddress(RdmaAddress.find(), 0));
      region = server.register(MemoryRegion.ofMapping(source));
      client = provider.openClient();
      landing = client.register(memory);
      connection = client.connect(server.address(), TIMEOUT_MS);
    }

    double mibPerS(int reads) {
      long startNs = System.nanoTime();
      ArrayDeque<CompletableFuture<Void>> inFlight = new ArrayDeque<>();
      for (int read = 0; read < reads; read++) {
        if (inFlight.size() == IN_FLIGHT) {
          inFlight.poll().join();
          check(read - IN_FLIGHT);
        }
        long at = (long) (read % RANGES) * RANGE_BYTES;
        int slot = read % IN_FLIGHT * RANGE_BYTES;
        inFlight.add(connection.read(region, at, landing, slot, RANGE_BYTES, TIMEOUT_MS));
      }
      for (int read = reads - inFlight.size(); read < reads; read++) {
        inFlight.poll().join();
        check(read);
      }
      return reads / ((System.nanoTime() - startNs) / (double) TimeUnit.SECONDS.toNanos(1));
    }

    /** The first and last byte of a range, before another lands there. */
    private void check(int read) {
      int slot = read % IN_FLIGHT * RANGE_BYTES;
      assertEquals((byte) (read % RANGES + 1), memory.get(slot), "first byte of read " + read);
      assertEquals(
          (byte) -(read % RANGES), memory.get(slot + RANGE_BYTES - 1), "last byte of read " + read);
    }

    @Override
    public void close() throws IOException {
      Closing.all(
          connection::close,
          landing::close,
          client::close,
          server::close,
          () -> OffHeap.free(memory),
          () -> OffHeap.free(source));
    }
  }
}
