package io.sluice.rdma.transport.support;

import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.rdma.transport.TransportCounters;
import java.util.concurrent.atomic.LongAdder;

/** The live numbers behind {@link TransportCounters}. Thread contract: safe from any thread. */
public final class TransportMeter {
  private final LongAdder reads = new LongAdder();
  private final LongAdder bytes = new LongAdder();
  private final LongAdder failedReads = new LongAdder();
  private final LongAdder timedOutReads = new LongAdder();
  private final LongAdder connections = new LongAdder();
  private final LongAdder openConnections = new LongAdder();
  private final LongAdder registrations = new LongAdder();
  private final LongAdder registeredBytes = new LongAdder();
  private final WaitHistogram served = new WaitHistogram();

  /** Counts a read that moved all its bytes. */
  public void readDone(long lengthBytes) {
    reads.increment();
    bytes.add(lengthBytes);
  }

  /** Counts an answered read, and the time from its request to the last byte. */
  public void served(long lengthBytes, long tookNanos) {
    readDone(lengthBytes);
    served.add(tookNanos);
  }

  /** Counts a read that failed before its deadline. */
  public void readFailed() {
    failedReads.increment();
  }

  /** Counts a read that missed its deadline. */
  public void readTimedOut() {
    failedReads.increment();
    timedOutReads.increment();
  }

  /** Counts an established connection. */
  public void connectionOpened() {
    connections.increment();
    openConnections.increment();
  }

  /** Counts the end of an established connection. */
  public void connectionClosed() {
    openConnections.decrement();
  }

  /** Counts registered memory. */
  public void registered(long lengthBytes) {
    registrations.increment();
    registeredBytes.add(lengthBytes);
  }

  /** Counts deregistered memory. */
  public void deregistered(long lengthBytes) {
    registrations.decrement();
    registeredBytes.add(-lengthBytes);
  }

  /** The counters now. */
  public TransportCounters snapshot() {
    return new TransportCounters(
        reads.sum(),
        bytes.sum(),
        failedReads.sum(),
        timedOutReads.sum(),
        connections.sum(),
        openConnections.sum(),
        registrations.sum(),
        registeredBytes.sum(),
        served.counts());
  }
}
