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

  /** A read moved all its bytes. */
  public void readDone(long lengthBytes) {
    reads.increment();
    bytes.add(lengthBytes);
  }

  /** A read was answered with all its bytes, the last of them so long after it was taken up. */
  public void served(long lengthBytes, long tookNanos) {
    readDone(lengthBytes);
    served.add(tookNanos);
  }

  /** A read failed otherwise than by its deadline. */
  public void readFailed() {
    failedReads.increment();
  }

  /** A read missed its deadline. */
  public void readTimedOut() {
    failedReads.increment();
    timedOutReads.increment();
  }

  /** A connection was established. */
  public void connectionOpened() {
    connections.increment();
    openConnections.increment();
  }

  /** A connection that was established has ended. */
  public void connectionClosed() {
    openConnections.decrement();
  }

  /** Memory was registered. */
  public void registered(long lengthBytes) {
    registrations.increment();
    registeredBytes.add(lengthBytes);
  }

  /** Memory was deregistered. */
  public void deregistered(long lengthBytes) {
    registrations.decrement();
    registeredBytes.add(-lengthBytes);
  }

  /** The numbers now. */
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
