package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OffHeap;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Queue;

/**
 * The native part of a client's connection: a queue pair with its own completion queue and channel,
 * and the memory for requests and completions. It posts reads in batches, waits for completions,
 * and takes them.
 *
 * <pre>
 *   0                                    BATCH * 144                       BATCH * 192
 *   +---------+---------+--- - - --------+------------+------------+--- - - +
 *   | request | request |                | completion | completion |        |
 *   +---------+---------+--- - - --------+------------+------------+--- - - +
 * </pre>
 *
 * <p>A request's id is the slot of its part here, because the other fields of a failed completion
 * are undefined.
 *
 * <p>Thread contract: {@link #post}, {@link #part} and {@link #release} under the connection's
 * lock; {@link #poll}, {@link #requestEvent} and what is done with completions by one thread at a
 * time, see {@link CompletionTurns}; {@link #await} and, at its end, {@link #takeOutstanding} on
 * the connection's thread; {@link #wake} and {@link #fail} from any thread, before {@link #close}.
 * Ownership: the connection closes it. Failure: {@link IOException}; the connection then ends, and
 * all its parts are lost with the queue pair.
 */
final class VerbsReadQueue {
  /** Work requests that are posted at a time; further ones wait at the connection. */
  static final int MAX_OUTSTANDING = 128;

  private static final int BATCH = 32;
  private static final int COMPLETIONS_OFFSET = BATCH * VerbsLayout.REQUEST_BYTES;
  private static final int MEMORY_BYTES = COMPLETIONS_OFFSET + BATCH * VerbsLayout.WC_BYTES;

  private static final int CHANNEL_READABLE = 1 << 1;

  private final Verbs verbs;
  private final Deque<Closeable> owned; // the last one first
  private final ByteBuffer memory;
  private final ByteBuffer completions;
  private final long address;
  private final int waker;
  private final long channel;
  private final int[] descriptors;
  private final long queue;
  private final VerbsQueuePair pair;
  private final ReadPart[] posted;
  private final int[] free;
  private int freeCount;
  private int events;
  private int polled;

  private VerbsReadQueue(VerbsPort port, VerbsDomain domain, Deque<Closeable> owned)
      throws IOException {
    VerbsDevice device = port.device();
    this.verbs = device.verbs();
    this.owned = owned;
    int depth =
        Math.min(
            MAX_OUTSTANDING,
            Math.min(device.limits().maxRequests(), device.limits().maxCompletions()));
    posted = new ReadPart[depth];
    free = new int[depth];
    for (freeCount = 0; freeCount < depth; freeCount++) {
      free[freeCount] = freeCount;
    }
    ByteBuffer allocated = OffHeap.allocate(MEMORY_BYTES);
    owned.push(() -> OffHeap.free(allocated));
    memory = allocated.duplicate().order(ByteOrder.nativeOrder());
    completions =
        memory
            .slice(COMPLETIONS_OFFSET, MEMORY_BYTES - COMPLETIONS_OFFSET)
            .order(ByteOrder.nativeOrder());
    address = LibVerbs.address(allocated);
    waker = verbs.createWaker();
    owned.push(() -> verbs.closeWaker(waker));
    channel = verbs.createChannel(device.context());
    owned.push(() -> verbs.destroyChannel(channel));
    descriptors = new int[] {waker, verbs.channelDescriptor(channel)};
    queue = verbs.createQueue(device.context(), depth, channel);
    owned.push(() -> verbs.destroyQueue(queue, events));
    pair = VerbsQueuePair.create(port, domain, queue, depth, 0);
    owned.push(pair::destroy);
    requestEvent();
  }

  /**
   * Creates the native objects; the queue pair is not connected.
   *
   * @param domain a domain of the port's device
   */
  static VerbsReadQueue create(VerbsPort port, VerbsDomain domain) throws IOException {
    Deque<Closeable> owned = new ArrayDeque<>();
    try {
      return new VerbsReadQueue(port, domain, owned);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, owned);
      throw e;
    }
  }

  VerbsQueuePair pair() {
    return pair;
  }

  /** Posts as many waiting parts as there is room for, in batches. */
  void post(Queue<ReadPart> waiting) throws IOException {
    while (freeCount > 0 && !waiting.isEmpty()) {
      int count = Math.min(BATCH, Math.min(freeCount, waiting.size()));
      for (int i = 0; i < count; i++) {
        ReadPart part = waiting.remove();
        int slot = free[--freeCount];
        posted[slot] = part;
        VerbsLayout.read(memory, address, i, i == count - 1, slot, part);
      }
      verbs.post(pair.handle(), address);
    }
  }

  /** Fetches completions from the device, which stay here until the next call. */
  boolean poll() throws IOException {
    polled = 0;
    polled = verbs.poll(queue, BATCH, address + COMPLETIONS_OFFSET);
    return polled > 0;
  }

  /** How many completions were fetched. */
  int polled() {
    return polled;
  }

  /** The status of a fetched completion, {@code VerbsLayout.STATUS_*}. */
  int status(int index) {
    return VerbsLayout.status(completions, index);
  }

  /** The part of a fetched completion. */
  ReadPart part(int index) {
    return posted[slot(index)];
  }

  private int slot(int index) {
    return (int) VerbsLayout.completedId(completions, index);
  }

  /** Frees the slots of fetched completions, except failed ones, whose parts are outstanding. */
  void release() {
    for (int i = 0; i < polled; i++) {
      if (status(i) == VerbsLayout.STATUS_SUCCESS) {
        posted[slot(i)] = null;
        free[freeCount++] = slot(i);
      }
    }
    polled = 0;
  }

  /** Removes a part that was posted and has not arrived, or not been released; null if none is. */
  ReadPart takeOutstanding() {
    for (int slot = 0; slot < posted.length; slot++) {
      ReadPart part = posted[slot];
      if (part != null) {
        posted[slot] = null;
        return part;
      }
    }
    return null;
  }

  /** Asks for an event at the next completion; what has come before must be polled then. */
  void requestEvent() throws IOException {
    verbs.requestEvent(queue);
  }

  /** Waits until an event comes, which it takes, or {@link #wake} is called; whether one came. */
  boolean await(int limitMs) throws IOException {
    if ((verbs.await(descriptors, limitMs) & CHANNEL_READABLE) == 0) {
      return false;
    }
    verbs.takeEvent(channel);
    events++;
    return true;
  }

  /** Ends a wait, for good. */
  void wake() throws IOException {
    verbs.wake(waker);
  }

  /** Makes the device end all that is posted, with failed completions. */
  void fail() throws IOException {
    pair.fail();
  }

  /**
   * Destroys the queue pair first, then the rest. After it returns, the NIC writes nothing. Memory
   * of requests that a device might still use is kept.
   */
  void close() throws IOException {
    while (!owned.isEmpty()) {
      owned.peek().close(); // a failure keeps what lies below it
      owned.remove();
    }
  }
}
