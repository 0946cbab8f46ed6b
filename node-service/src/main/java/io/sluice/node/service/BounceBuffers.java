package io.sluice.node.service;

import io.sluice.node.service.ServiceCounters.BounceCounters;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.metrics.WaitHistogram;
import io.sluice.rdma.transport.FairBudget;
import io.sluice.rdma.transport.MemoryRegion;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spill.segment.Owner;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.stream.IntStream;

/**
 * Registered memory of one transport, in equal slots, into which bytes are copied that the
 * transport cannot read where they lie. Each slot is a region of its own, whose key was told to
 * readers of one owner's applications: before it holds another owner's bytes it is emptied and
 * registered anew.
 *
 * <p>A slot that is given back may be filled with bytes of another reader of the same owner at
 * once. A reader that reads the slot later sees those: one that lost its connection to the service,
 * say. It notices by the checksums of its run. A read that fails or is late does no harm, because
 * nothing of it arrives any more once its future is done (see {@code Connection}).
 *
 * <p>Owners share the slots as {@link FairBudget} says: readers of one that are slow to give theirs
 * back leave some to those of others.
 *
 * <p>Thread contract: safe from any thread. Ownership: its opener closes it, after all slots are
 * back and, since a NIC may go on reading deregistered memory, after the endpoint. Failure: {@link
 * IllegalStateException} on closing with slots out: the memory is then kept.
 */
final class BounceBuffers implements AutoCloseable {
  private final OwnerEndpoints endpoints;
  private final int slotBytes;
  private final ByteBuffer memory;
  private final RegionDescriptor[] regions; // by slot, as the next two; null: not registered
  private final Owner[] at; // at whose endpoint that is
  private final Owner[] owners; // whose readers know the key; or null
  private final FairBudget shares; // of slots; taken before a slot is, and given back after it
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final int slots;
  private final WaitHistogram served = new WaitHistogram();
  private int peakInUse;
  private long reads;
  private long bytes;
  private long refusals;
  private boolean closed;

  private BounceBuffers(OwnerEndpoints endpoints, BounceConfig config, ByteBuffer memory) {
    this.endpoints = endpoints;
    this.slotBytes = config.slotBytes();
    this.slots = config.slots();
    this.shares = new FairBudget(slots, endpoints.isShared());
    this.memory = memory;
    this.regions = new RegionDescriptor[slots];
    this.at = new Owner[slots];
    this.owners = new Owner[slots];
    for (int i = 0; i < slots; i++) {
      free.add(i);
    }
  }

  /** Allocates and registers all of it, for the service's own user until others need it. */
  static BounceBuffers open(OwnerEndpoints endpoints, BounceConfig config)
      throws TransportException {
    ByteBuffer memory = OffHeap.allocate(config.totalBytes());
    BounceBuffers opened = new BounceBuffers(endpoints, config, memory);
    try {
      for (int i = 0; i < config.slots(); i++) {
        opened.register(i, endpoints.own());
      }
      return opened;
    } catch (TransportException | RuntimeException | Error e) { // of memory, which is done without
      opened.close();
      throw e;
    }
  }

  private void register(int number, Owner owner) throws TransportException {
    regions[number] = endpoints.register(owner, MemoryRegion.ofMapping(slotMemory(number)));
    at[number] = owner;
  }

  private void deregister(int number) {
    if (regions[number] != null) {
      endpoints.deregister(at[number], regions[number]);
      regions[number] = null;
    }
  }

  private ByteBuffer slotMemory(int number) {
    return memory.slice(number * slotBytes, slotBytes);
  }

  int slotBytes() {
    return slotBytes;
  }

  /**
   * A free slot for bytes of that owner, or null if none came back within {@code waitMs}, or this
   * owner has its share.
   *
   * @throws TransportException if one that was another owner's cannot be registered anew
   */
  Slot acquire(Owner owner, long waitMs) throws TransportException {
    if (!shares.take(owner, 1, waitMs)) {
      return null;
    }
    Slot slot = take(owner);
    if (owner.equals(owners[slot.number])) {
      return slot;
    }
    try {
      slot.giveTo(owner);
      return slot;
    } catch (TransportException | RuntimeException | Error e) {
      slot.release();
      throw e;
    }
  }

  /** One that is free: there is one for each that the shares grant. */
  private synchronized Slot take(Owner owner) {
    int number = cheapest(owner);
    free.removeFirstOccurrence(number);
    peakInUse = Math.max(peakInUse, inUse());
    return new Slot(number, owner);
  }

  private static void empty(ByteBuffer slot) {
    byte[] zeros = new byte[Math.min(slot.remaining(), 64 << 10)];
    while (slot.hasRemaining()) {
      slot.put(zeros, 0, Math.min(slot.remaining(), zeros.length));
    }
  }

  /** A free slot: one of this owner, else one of none, else the one that was idle longest. */
  private int cheapest(Owner owner) {
    int nobodys = -1;
    for (int number : free) {
      if (owner.equals(owners[number])) {
        return number;
      }
      nobodys = nobodys < 0 && owners[number] == null ? number : nobodys;
    }
    return nobodys < 0 ? free.peekLast() : nobodys;
  }

  /** Counts a reader that was turned away. */
  synchronized void refused() {
    refusals++;
  }

  private int inUse() {
    return slots - free.size();
  }

  synchronized BounceCounters counters() {
    return new BounceCounters(
        reads,
        bytes,
        refusals,
        inUse(),
        peakInUse,
        closed ? 0 : memory.capacity(),
        served.counts());
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    if (inUse() > 0) {
      throw new IllegalStateException(
          "bounce buffers closed with " + inUse() + " of " + slots + " slots not given back");
    }
    closed = true;
    Closer.all(IntStream.range(0, slots).mapToObj(number -> () -> deregister(number)));
    OffHeap.free(memory); // now no NIC has it
  }

  /** A slot that one reader holds, and gives back exactly once. */
  final class Slot {
    private final int number;
    private final Owner holder;

    private Slot(int number, Owner holder) {
      this.number = number;
      this.holder = holder;
    }

    /** The region that it is read by, from its first byte on. */
    RegionDescriptor region() {
      return regions[number];
    }

    /** Called by the slot's only holder, so that nothing else changes its owner and region. */
    private void giveTo(Owner owner) throws TransportException {
      boolean clean = owners[number] == null && regions[number] != null;
      if (!clean || endpoints.isApart(at[number], owner)) {
        deregister(number);
        owners[number] = null;
        empty(slotMemory(number));
        register(number, owner);
      }
      owners[number] = owner;
    }

    /** Its first {@code lengthBytes} bytes, to be written. */
    ByteBuffer memory(int lengthBytes) {
      return memory.slice(number * slotBytes, lengthBytes);
    }

    /** Counts the copied bytes, and the time since the slot was asked for. */
    void filled(int lengthBytes, long tookNanos) {
      served.add(tookNanos);
      synchronized (BounceBuffers.this) {
        reads++;
        bytes += lengthBytes;
      }
    }

    void release() {
      synchronized (BounceBuffers.this) {
        free.push(number); // the last one used is the likeliest to be in the CPU's cache
      }
      shares.giveBack(holder, 1);
    }
  }

  /**
   * How much memory each transport may register to serve segments that it cannot register.
   *
   * @param slotBytes length of one slot, the most that is read at once
   * @param slots how many there are; 0 for none, so that such segments are left to other transports
   */
  record BounceConfig(int slotBytes, int slots) {
    /** The length that fits readers' windows. */
    static final int DEFAULT_SLOT_BYTES = 1 << 20;

    BounceConfig {
      if (slotBytes <= 0 || slots < 0 || (long) slotBytes * slots > Integer.MAX_VALUE) {
        throw new IllegalArgumentException(
            ("bounce buffers of %s slots of %s bytes; expected slots of at least 1 byte, less"
                    + " than 2 GiB in all")
                .formatted(slots, slotBytes));
      }
    }

    int totalBytes() {
      return slotBytes * slots;
    }
  }
}
