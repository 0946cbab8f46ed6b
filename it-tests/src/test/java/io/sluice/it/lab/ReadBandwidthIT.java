package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.Figure.Spread;
import io.sluice.bench.micro.RangeReads;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RdmaAddress;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.TransportProvider;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * One-sided reads through each RDMA transport that works here, and by perftest's programs, in turn
 * on the same emulated device: what a transport costs beside the verbs below it. It reports, and
 * asserts only that all bytes came, over the device.
 */
@EnabledIfSystemProperty(
    named = LabCluster.SHARE,
    matches = ".+",
    disabledReason = "not in the lab's guest; ./sluice lab bandwidth runs this")
class ReadBandwidthIT {
  private static final int SERVED_BYTES = 16 << 20;
  private static final int PAGE_BYTES = 4096;

  /** Of a round, to measure the bandwidth. */
  private static final int ROUND_BYTES = 128 << 20;

  /** As many as {@code ib_read_bw} has at the device. */
  private static final int IN_FLIGHT = 16;

  private static final int LATENCY_READS = 4000;

  /** After so many reads the JVM has compiled what they run. */
  private static final int WARM_READS = 20_000;

  private static final int ROUNDS = 5;
  private static final int CONNECTIONS = 100;

  private static final Set<String> WARM = new HashSet<>();

  private final InetAddress address = RdmaAddress.find();
  private final List<TransportProvider> providers = new ArrayList<>();
  private ByteBuffer source;

  /** What a transport did in one round. */
  private record Reads(double seconds, double cpuSeconds) {}

  /** What a transport did in all rounds. */
  private record Figures(List<Double> rates, List<Double> ratios, List<Double> cpuSPerGib) {
    Figures() {
      this(new ArrayList<>(), new ArrayList<>(), new ArrayList<>());
    }

    void add(double rate, double perftestRate, double cpuS, long bytes) {
      rates.add(rate);
      ratios.add(rate / perftestRate);
      cpuSPerGib.add(cpuS / bytes * (1 << 30));
    }

    String show(String unit) {
      return "%s %s, %s of it, %s s of CPU per GiB"
          .formatted(
              Spread.of(rates).show("%.1f"::formatted),
              unit,
              Spread.of(ratios).show("%.2f"::formatted),
              Spread.of(cpuSPerGib).show("%.1f"::formatted));
    }
  }

  @BeforeEach
  void open(TestReporter reporter) throws IOException {
    source = OffHeap.allocate(SERVED_BYTES);
    for (int page = 0; page < SERVED_BYTES / PAGE_BYTES; page++) {
      source.put(page * PAGE_BYTES, mark(page));
      source.put((page + 1) * PAGE_BYTES - 1, mark(~page));
    }
    for (TransportProvider provider : TransportChooser.standard().providers()) {
      if (provider.isAvailable()) {
        providers.add(provider);
      } else {
        reporter.publishEntry(
            provider.name(), "not here: " + provider.unavailabilityCause().orElseThrow());
      }
    }
    providers.removeIf(provider -> provider.name().equals(TransportNames.TCP));
    for (TransportProvider provider : providers) {
      warm(provider); // perftest's programs are compiled, too
    }
  }

  private void warm(TransportProvider provider) throws IOException {
    if (WARM.add(provider.name())) {
      read(provider, PAGE_BYTES, 1, WARM_READS);
      read(provider, PAGE_BYTES, IN_FLIGHT, WARM_READS);
    }
  }

  @AfterEach
  void close() {
    OffHeap.free(source);
  }

  @ParameterizedTest
  @ValueSource(ints = {64 << 10, 1 << 20})
  void bandwidthBesideIbReadBw(int rangeBytes, TestReporter reporter) throws IOException {
    Map<String, Figures> figures = new LinkedHashMap<>();
    int reads = ROUND_BYTES / rangeBytes;
    for (int round = 0; round < ROUNDS; round++) {
      double perftest = Perftest.IB_READ_BW.mean(address, rangeBytes, reads);
      reporter.publishEntry("ib_read_bw", "%.1f MiB/s".formatted(perftest));
      for (TransportProvider provider : providers) {
        Reads ours = read(provider, rangeBytes, IN_FLIGHT, reads);
        double mibPerS = ROUND_BYTES / ours.seconds() / (1 << 20);
        figures
            .computeIfAbsent(provider.name(), name -> new Figures())
            .add(mibPerS, perftest, ours.cpuSeconds(), ROUND_BYTES);
      }
    }
    figures.forEach(
        (name, figure) ->
            reporter.publishEntry(
                name, "%d KiB: %s".formatted(rangeBytes >> 10, figure.show("MiB/s"))));
  }

  @Test
  void latencyBesideIbReadLat(TestReporter reporter) throws IOException {
    Map<String, Figures> figures = new LinkedHashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      double perftest = Perftest.IB_READ_LAT.mean(address, PAGE_BYTES, LATENCY_READS);
      reporter.publishEntry("ib_read_lat", "%.0f us".formatted(perftest));
      for (TransportProvider provider : providers) {
        Reads ours = read(provider, PAGE_BYTES, 1, LATENCY_READS);
        double readUs = ours.seconds() / LATENCY_READS * TimeUnit.SECONDS.toMicros(1);
        figures
            .computeIfAbsent(provider.name(), name -> new Figures())
            .add(readUs, perftest, ours.cpuSeconds(), (long) LATENCY_READS * PAGE_BYTES);
      }
    }
    figures.forEach(
        (name, figure) -> reporter.publishEntry(name, "4 KiB: " + figure.show("us a read")));
  }

  @Test
  void connectionsOfEachTransport(TestReporter reporter) throws IOException {
    for (TransportProvider provider : providers) {
      ConnectionCost.of(provider, address, CONNECTIONS); // now there is memory for them
      reporter.publishEntry(
          provider.name(), ConnectionCost.of(provider, address, CONNECTIONS).toString());
    }
  }

  private Reads read(TransportProvider provider, int rangeBytes, int inFlight, int count)
      throws IOException {
    MemoryRegion served = MemoryRegion.ofMapping(source);
    try (RangeReads reads = new RangeReads(provider, address, served, rangeBytes, inFlight)) {
      RangeReads.Landed check =
          (read, memory, offset) -> check(read, rangeBytes, reads.ranges(), memory, offset);
      reads.read(count / 8, check); // warm
      DeviceCounters device = new DeviceCounters();
      MachineUse use = new MachineUse();
      long startNs = System.nanoTime();
      reads.read(count, check);
      double seconds = (System.nanoTime() - startNs) / 1e9;
      double cpuSeconds = use.cpuSeconds();
      device.assertReceived((long) count * rangeBytes);
      return new Reads(seconds, cpuSeconds);
    }
  }

  private static void check(int read, int rangeBytes, int ranges, ByteBuffer memory, int offset) {
    int pages = rangeBytes / PAGE_BYTES;
    int first = read % ranges * pages;
    assertEquals(mark(first), memory.get(offset), () -> "first byte of read " + read);
    assertEquals(
        mark(~(first + pages - 1)),
        memory.get(offset + rangeBytes - 1),
        () -> "last byte of read " + read);
  }

  /** Tells pages apart. */
  private static byte mark(int page) {
    return (byte) (page * 0x9E3779B9 >>> 24);
  }
}
