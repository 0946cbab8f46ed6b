package io.sluice.node.service;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.ServerEndpoint;
import io.sluice.rdma.transport.TransportException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Registered memory of one transport, in equal slots, into which bytes are copied that the
 * transport cannot read where they lie.
 *
 * <p>A slot that is given back may be filled with another reader's bytes at once. Whoever reads it
 * later sees those: a reader whose connection to the service was lost, say. It notices by the
 * checksums of its run. A read that fails or is late does no harm, because nothing of it arrives
 * any more once its future is done (see {@code Connection}).
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever opened it closes it, after all slots
 * are back and, since a NIC may go on reading deregistered memory, after the endpoint. Failure:
 * {@link IllegalStateException} on closing with slots out: the memory is then kept.
 */
final class BounceBuffers implements AutoCloseable {
  private final ServerEndpoint endpoint;
  private final int slotBytes;
  private final ByteBuffer memory;
  private final RegionDescriptor region;
  private final ReentrantLock lock = new ReentrantLock(true);
  private final Condition returned = lock.newCondition();
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final int slots;
  private final WaitHistogram served = new WaitHistogram();
  private int peakInUse;
  private long reads;
  private long bytes;
  private long refusals;
  private boolean closed;

  private BounceBuffers(
      ServerEndpoint endpoint, BounceConfig config, ByteBuffer memory, RegionDescriptor region) {
    this.endpoint = endpoint;
    this.slotBytes = config.slotBytes();
    this.slots = config.slots();
    this.memory = memory;
    this.region = region;
    for (int i = 0; i < slots; i++) {
      free.add(i);
    }
  }

  /** Allocates and registers all of it. */
  static BounceBuffers open(ServerEndpoint endpoint, BounceConfig config)
      throws TransportException {
    ByteBuffer memory = OffHeap.allocate(config.totalBytes());
    try {
      return new BounceBuffers(
          endpoint, config, memory, endpoint.register(MemoryRegion.ofMapping(memory)));
    } catch (TransportException | RuntimeException e) {
      OffHeap.free(memory);
      throw e;
    }
  }

  int slotBytes() {
    return slotBytes;
  }

  RegionDescriptor region() {
    return region;
  }

  /** A free slot, or null if none came back within {@code waitMs}. */
  Slot acquire(long waitMs) {
    lock.lock();
    try {
      long leftNs = TimeUnit.MILLISECONDS.toNanos(waitMs);
      while (free.isEmpty() && leftNs > 0) {
        leftNs = returned.awaitNanos(leftNs);
      }
      Integer number = free.poll();
      if (number == null) {
        return null;
      }
      peakInUse = Math.max(peakInUse, inUse());
      return new Slot(number);
    } catch (InterruptedException e) {
      throw new IllegalStateException("nobody interrupts the thread of a connection", e);
    } finally {
      lock.unlock();
    }
  }

  /** Counts a reader that was turned away. */
  void refused() {
    lock.lock();
    try {
      refusals++;
    } finally {
      lock.unlock();
    }
  }

  private int inUse() {
    return slots - free.size();
  }

  BounceCounters counters() {
    lock.lock();
    try {
      return new BounceCounters(
          reads,
          bytes,
          refusals,
          inUse(),
          peakInUse,
          closed ? 0 : memory.capacity(),
          served.counts());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      if (inUse() > 0) {
        throw new IllegalStateException(
            "bounce buffers closed with " + inUse() + " of " + slots + " slots not given back");
      }
      closed = true;
      endpoint.deregister(region);
      OffHeap.free(memory);
    } finally {
      lock.unlock();
    }
  }

  /** A slot in the hands of one reader, who gives it back exactly once. */
  final class Slot {
    private final int number;

    private Slot(int number) {
      this.number = number;
    }

    /** Where it starts in the region. */
    long offsetBytes() {
      return (long) number * slotBytes;
    }

    /** Its first {@code lengthBytes} bytes, to be written. */
    ByteBuffer memory(int lengthBytes) {
      return memory.slice(number * slotBytes, lengthBytes);
    }

    /** Counts what was copied into it, so long after it was asked for. */
    void filled(int lengthBytes, long tookNanos) {
      served.add(tookNanos);
      lock.lock();
      try {
        reads++;
        bytes += lengthBytes;
      } finally {
        lock.unlock();
      }
    }

    void release() {
      lock.lock();
      try {
        free.push(number); // the last one used is the likeliest to be in the CPU's cache
        returned.signal();
      } finally {
        lock.unlock();
      }
    }
  }
}
