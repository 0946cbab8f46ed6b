package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.micro.RangeReads;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.ucx.UcxProvider;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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

  @Test
  void readsOfAMegabyteBesideIbReadBw(TestReporter reporter) throws IOException {
    List<Double> ratios = new ArrayList<>();
    ByteBuffer source = OffHeap.allocate(RANGES * RANGE_BYTES);
    mark(source);
    MemoryRegion served = MemoryRegion.ofMapping(source);
    try (RangeReads reads =
        new RangeReads(new UcxProvider(), RdmaAddress.find(), served, RANGE_BYTES)) {
      mibPerS(reads); // compiled and warm
      for (int round = 1; round <= ROUNDS; round++) {
        double bare = IbReadBw.mibPerS(RdmaAddress.find(), RANGE_BYTES, READS);
        DeviceCounters device = new DeviceCounters();
        double ours = mibPerS(reads);
        device.assertReceived((long) READS * RANGE_BYTES);
        ratios.add(ours / bare);
        reporter.publishEntry(
            "round-" + round,
            "%d reads of 1 MiB: ucx %.1f MiB/s, ib_read_bw %.1f MiB/s"
                .formatted(READS, ours, bare));
      }
    } finally {
      OffHeap.free(source);
    }
    reporter.publishEntry("ratio", "ucx / ib_read_bw " + Spread.of(ratios).show("%.2f"::formatted));
  }

  /** The first and the last byte of each range tell which it is. */
  private static void mark(ByteBuffer source) {
    for (int range = 0; range < RANGES; range++) {
      source.put(range * RANGE_BYTES, (byte) (range + 1));
      source.put((range + 1) * RANGE_BYTES - 1, (byte) -range);
    }
  }

  private static double mibPerS(RangeReads reads) {
    long startNs = System.nanoTime();
    reads.read(READS, ReadBandwidthIT::check);
    return READS / ((System.nanoTime() - startNs) / (double) TimeUnit.SECONDS.toNanos(1));
  }

  private static void check(int read, ByteBuffer memory, int offset) {
    int range = read % RANGES;
    assertEquals((byte) (range + 1), memory.get(offset), "first byte of read " + read);
    assertEquals((byte) -range, memory.get(offset + RANGE_BYTES - 1), "last byte of read " + read);
  }
}
