package io.sluice.node.probe;

import io.sluice.node.probe.ProbeRegion.ProbePattern;
import io.sluice.node.remote.ProbeMessages;
import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.ProtocolException;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.text.HostAndPort;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * Reads another host's {@link ProbeRegion.ProbePattern} over every transport that both hosts have,
 * as a reduce task would read a map output, and measures it.
 *
 * <p>Thread contract: one thread. Ownership: everything it opens it closes. Failure: {@link
 * IOException} in plain words if the host cannot be asked; a transport that fails is a result.
 */
public final class Prober {
  private final List<TransportProvider> providers;
  private final ProbePlan plan;
  private final long timeoutMs;

  /**
   * @param providers the transports of this host, best first, whether they work here or not
   * @param timeoutMs the deadline of each step: connecting, asking, one read
   */
  public Prober(List<TransportProvider> providers, ProbePlan plan, long timeoutMs) {
    this.providers = List.copyOf(providers);
    this.plan = plan;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Probes the service whose control port is at {@code control}.
   *
   * @return one result for each transport that either host has, those of this one first
   */
  public List<ProbeResult> probe(InetSocketAddress control) throws IOException {
    Map<String, ProbeOffer> offered = new LinkedHashMap<>();
    ask(control).forEach(probe -> offered.put(probe.offer().transport(), probe));
    List<ProbeResult> results = new ArrayList<>();
    for (TransportProvider provider : providers) {
      results.add(probe(provider, offered.remove(provider.name()), control));
    }
    offered
        .keySet()
        .forEach(name -> results.add(ProbeResult.fails(name, "this host does not know it")));
    return results;
  }

  private List<ProbeOffer> ask(InetSocketAddress control) throws IOException {
    try {
      return ProbeMessages.ask(control, timeoutMs);
    } catch (SocketTimeoutException e) {
      throw failure(
          control, "did not answer within %s ms: it is down, behind a firewall, or not Sluice", e);
    } catch (ConnectException e) {
      throw failure(control, "cannot be reached; is its node service running?", e);
    } catch (EOFException e) {
      throw failure(
          control, "hung up: it is not a Sluice node service, or one too old for probes", e);
    } catch (ProtocolException e) {
      throw failure(control, "is not a Sluice node service of this version", e);
    }
  }

  private IOException failure(InetSocketAddress control, String what, IOException cause) {
    return new IOException(
        HostAndPort.of(control.getHostString(), control.getPort())
            + " "
            + what.formatted(timeoutMs),
        cause);
  }

  private ProbeResult probe(
      TransportProvider provider, ProbeOffer probe, InetSocketAddress control) {
    String name = provider.name();
    Optional<String> unavailable = provider.unavailabilityCause();
    if (unavailable.isPresent()) {
      return ProbeResult.fails(name, "does not work on this host: " + unavailable.get());
    }
    if (probe == null) {
      return ProbeResult.fails(name, "the other host does not offer it");
    }
    if (probe.region().isEmpty()) {
      return ProbeResult.fails(
          name, "the other host cannot register memory with it; its service's log says why");
    }
    try {
      return ProbeResult.works(
          name, measure(provider, probe.offer(), probe.region().get(), control));
    } catch (TransportException e) {
      return ProbeResult.fails(name, e.getMessage());
    }
  }

  private ProbeResult.Speed measure(
      TransportProvider provider,
      TransportOffer offer,
      RegionDescriptor region,
      InetSocketAddress control)
      throws TransportException {
    InetSocketAddress remote =
        offer.host().isEmpty()
            ? new InetSocketAddress(control.getAddress(), offer.port())
            : new InetSocketAddress(offer.host(), offer.port());
    ByteBuffer memory = OffHeap.allocate(plan.inFlight() * plan.bandwidthBytes());
    try (ClientEndpoint endpoint = provider.openClient();
        RegisteredBuffer landing = endpoint.register(memory);
        Connection connection = endpoint.connect(remote, timeoutMs)) {
      return new ProbeReads(plan, connection, region, landing, timeoutMs).measure();
    } finally {
      OffHeap.free(memory);
    }
  }

  /**
   * How much is read over a transport, and how.
   *
   * @param latencyReads small reads, one after the other
   * @param latencyBytes length of each; divides {@link ProbeRegion.ProbePattern#LENGTH_BYTES}
   * @param bandwidthReads large reads, at most
   * @param bandwidthBytes length of each; divides {@link ProbeRegion.ProbePattern#LENGTH_BYTES}
   * @param inFlight large reads at a time
   * @param bandwidthMs after so long no further large read is begun, for slow links
   */
  public record ProbePlan(
      int latencyReads,
      int latencyBytes,
      int bandwidthReads,
      int bandwidthBytes,
      int inFlight,
      long bandwidthMs) {
    /** 1,000 reads of 4 KiB; then reads of 1 MiB, 4 at a time, 1,024 of them or for 5 s. */
    public static final ProbePlan STANDARD = new ProbePlan(1000, 4096, 1024, 1 << 20, 4, 5000);
  }

  /**
   * The result of probing one transport.
   *
   * @param transport its name
   * @param speed the measurement; empty if it does not work between the two hosts
   * @param cause why it does not, in plain words; empty if it does
   */
  public record ProbeResult(String transport, Optional<Speed> speed, String cause) {

    /**
     * A measurement whose bytes were all checked.
     *
     * @param latencyReads how many small reads, one after the other
     * @param latencyBytes the length of each
     * @param medianNs their median, in nanoseconds
     * @param p99Ns what 99 of 100 of them did not exceed, in nanoseconds
     * @param bandwidthReads how many large reads
     * @param bandwidthBytes the length of each
     * @param inFlight how many of them at a time
     * @param bytesPerSecond what these came to
     */
    public record Speed(
        int latencyReads,
        int latencyBytes,
        long medianNs,
        long p99Ns,
        int bandwidthReads,
        int bandwidthBytes,
        int inFlight,
        long bytesPerSecond) {}

    static ProbeResult works(String transport, Speed speed) {
      return new ProbeResult(transport, Optional.of(speed), "");
    }

    static ProbeResult fails(String transport, String cause) {
      return new ProbeResult(transport, Optional.empty(), cause);
    }
  }

  /**
   * The reads of a probe over one connection: all bytes once, then for latency, then for bandwidth.
   *
   * <p>Ownership: all of it stays the caller's. Failure: {@link TransportException} when a read
   * fails or brings other bytes than the pattern.
   */
  private record ProbeReads(
      ProbePlan plan,
      Connection connection,
      RegionDescriptor region,
      RegisteredBuffer landing,
      long timeoutMs) {
    private static final double PERCENTILE = 0.99;

    ProbeResult.Speed measure() throws TransportException {
      if (region.lengthBytes() != ProbePattern.LENGTH_BYTES) {
        throw new TransportException(
            "the other host offers a pattern of %s bytes, expected %s"
                .formatted(region.lengthBytes(), ProbePattern.LENGTH_BYTES));
      }
      latenciesNs(ProbePattern.LENGTH_BYTES / plan.latencyBytes()); // every byte, and the JIT
      long[] sortedNs = latenciesNs(plan.latencyReads());
      Arrays.sort(sortedNs);
      clear();
      int reads = 0;
      Queue<CompletableFuture<Void>> inFlight = new ArrayDeque<>();
      long startNs = System.nanoTime();
      long endNs = startNs + TimeUnit.MILLISECONDS.toNanos(plan.bandwidthMs());
      while (reads < plan.bandwidthReads()
          && (reads < plan.inFlight() || System.nanoTime() < endNs)) {
        if (inFlight.size() == plan.inFlight()) {
          await(inFlight.remove());
        }
        int slot = reads++ % plan.inFlight();
        inFlight.add(begin(0, slot * plan.bandwidthBytes(), plan.bandwidthBytes()));
      }
      while (!inFlight.isEmpty()) {
        await(inFlight.remove());
      }
      long tookNs = System.nanoTime() - startNs;
      for (int slot = 0; slot < Math.min(reads, plan.inFlight()); slot++) {
        check(0, slot * plan.bandwidthBytes(), plan.bandwidthBytes());
      }
      return new ProbeResult.Speed(
          plan.latencyReads(),
          plan.latencyBytes(),
          sortedNs[sortedNs.length / 2],
          sortedNs[(int) Math.ceil(sortedNs.length * PERCENTILE) - 1],
          reads,
          plan.bandwidthBytes(),
          plan.inFlight(),
          (long) ((double) reads * plan.bandwidthBytes() / tookNs * TimeUnit.SECONDS.toNanos(1)));
    }

    private long[] latenciesNs(int reads) throws TransportException {
      long[] latenciesNs = new long[reads];
      for (int i = 0; i < reads; i++) {
        int offsetBytes = (int) ((long) i * plan.latencyBytes() % ProbePattern.LENGTH_BYTES);
        long startNs = System.nanoTime();
        await(begin(offsetBytes, 0, plan.latencyBytes()));
        latenciesNs[i] = System.nanoTime() - startNs;
        check(offsetBytes, 0, plan.latencyBytes());
      }
      return latenciesNs;
    }

    private CompletableFuture<Void> begin(
        int offsetBytes, int landingOffsetBytes, int lengthBytes) {
      return connection.read(
          region, offsetBytes, landing, landingOffsetBytes, lengthBytes, timeoutMs);
    }

    /** Every read has a deadline, so this needs none. */
    private static void await(CompletableFuture<Void> read) throws TransportException {
      try {
        read.get();
      } catch (ExecutionException e) {
        if (e.getCause() instanceof TransportException failure) {
          throw failure;
        }
        throw new IllegalStateException("a read failed in a way it must not", e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new TransportException("interrupted while probing", e);
      }
    }

    private void check(int offsetBytes, int landingOffsetBytes, int lengthBytes)
        throws TransportException {
      ByteBuffer read = landing.buffer().slice(landingOffsetBytes, lengthBytes);
      int mismatch = ProbePattern.mismatch(read, offsetBytes);
      if (mismatch >= 0) {
        throw new TransportException(
            ("read %s bytes at offset %s of the pattern, which differ from it at offset %s:"
                    + " this transport corrupts data between these hosts, do not use it")
                .formatted(lengthBytes, offsetBytes, mismatch));
      }
    }

    private void clear() {
      ByteBuffer all = landing.buffer().clear();
      all.put(new byte[all.capacity()]);
    }
  }
}
