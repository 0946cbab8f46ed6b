package io.sluice.node.probe;

import io.sluice.node.probe.ProbeResult.Speed;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/**
 * The reads of a probe over one connection: all bytes once, then for latency, then for bandwidth.
 *
 * <p>Thread contract: one thread. Ownership: all of it stays the caller's. Failure: {@link
 * TransportException} when a read fails or brings other bytes than the pattern.
 */
final class ProbeReads {
  private static final double PERCENTILE = 0.99;

  private final ProbePlan plan;
  private final Connection connection;
  private final RegionDescriptor region;
  private final RegisteredBuffer landing;
  private final long timeoutMs;

  ProbeReads(
      ProbePlan plan,
      Connection connection,
      RegionDescriptor region,
      RegisteredBuffer landing,
      long timeoutMs) {
    this.plan = plan;
    this.connection = connection;
    this.region = region;
    this.landing = landing;
    this.timeoutMs = timeoutMs;
  }

  Speed measure() throws TransportException {
    if (region.lengthBytes() != ProbePattern.LENGTH_BYTES) {
      throw new TransportException(
          "the other host offers a pattern of "
              + region.lengthBytes()
              + " bytes, expected "
              + ProbePattern.LENGTH_BYTES);
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
    return new Speed(
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

  private CompletableFuture<Void> begin(int offsetBytes, int landingOffsetBytes, int lengthBytes) {
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
          "read "
              + lengthBytes
              + " bytes at offset "
              + offsetBytes
              + " of the pattern, which differ from it at offset "
              + mismatch
              + ": this transport corrupts data between these hosts, do not use it");
    }
  }

  private void clear() {
    ByteBuffer all = landing.buffer().clear();
    all.put(new byte[all.capacity()]);
  }
}
