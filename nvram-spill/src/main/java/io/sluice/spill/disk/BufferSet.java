package io.sluice.spill.disk;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * The memory of one device for one purpose: buffers that are allocated at the start, so that queued
 * requests need no more memory, and no task waits for the ledger to reach the disk.
 *
 * <p>A stream holds at most a fixed number of buffers. While another user or application waits, one
 * holds at most half of all: else a slow reader would stop a device for all, and a user with many
 * applications would stop it for a user with one. A buffer that comes back goes to the thread that
 * waits longest and may have it; no other thread is woken.
 *
 * <p>Thread contract: safe from any thread; the lock is a leaf. A waiting thread holds no lock. It
 * holds no other buffer except of queued requests, which the device gives back itself. Ownership:
 * this owns the memory, which is freed when this is closed and all buffers are back. A device that
 * hangs keeps the buffers of its units until it answers.
 */
public final class BufferSet implements Closeable {
  /** Alignment of addresses that direct I/O asks for. */
  static final int ALIGNMENT_BYTES = 4096;

  private final int count;
  private final int mostOfStream;
  private final ByteBuffer memory;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private final Map<DiskStream, Integer> ofStreams = new HashMap<>();
  private final Group users = new Group();
  private final Group applications = new Group();
  private final Set<Waiter> waiters = new LinkedHashSet<>(); // the longest first
  private final ReentrantLock lock = new ReentrantLock();
  private long wakeUps;
  private boolean closed;

  /** A thread that waits for a buffer. */
  private final class Waiter {
    private final DiskStream stream;
    private final int left;
    private final Condition changed = lock.newCondition();
    private Buffer granted; // null: nothing yet

    Waiter(DiskStream stream, int left) {
      this.stream = stream;
      this.left = left;
    }
  }

  /** Numbers of buffers and of waiting threads, by user or by application. */
  private static final class Group {
    private final Map<Object, Integer> held = new HashMap<>();
    private final Map<Object, Integer> waiting = new HashMap<>();

    boolean othersWait(Object of) {
      return waiting.size() > (waiting.containsKey(of) ? 1 : 0);
    }
  }

  private static <K> void add(Map<K, Integer> counts, K key, int number) {
    counts.merge(key, number, (before, more) -> before + more == 0 ? null : before + more);
  }

  /** A buffer that is taken; closed once, after the last use of its bytes. */
  public final class Buffer implements AutoCloseable {
    private final DiskStream stream;
    private final ByteBuffer bytes;
    private boolean back;

    private Buffer(DiskStream stream, ByteBuffer bytes) {
      this.stream = stream;
      this.bytes = bytes;
    }

    /** All of it, page-aligned; a view of its own each time. */
    public ByteBuffer bytes() {
      return bytes.duplicate();
    }

    /** Gives it back. */
    @Override
    public void close() {
      giveBack(this);
    }
  }

  /**
   * Allocates all buffers.
   *
   * @param mostOfStream most buffers of a stream
   */
  public BufferSet(int count, int lengthBytes, int mostOfStream) {
    if (lengthBytes % ALIGNMENT_BYTES != 0) {
      throw new IllegalArgumentException(
          "buffers of %s bytes: expected a multiple of %s".formatted(lengthBytes, ALIGNMENT_BYTES));
    }
    this.count = count;
    this.mostOfStream = mostOfStream;
    this.memory = OffHeap.allocate(memoryBytes(count, lengthBytes));
    ByteBuffer aligned = memory.alignedSlice(ALIGNMENT_BYTES);
    for (int i = 0; i < count; i++) {
      free.add(aligned.slice(i * lengthBytes, lengthBytes));
    }
  }

  /** Memory of a set of buffers. */
  static int memoryBytes(int count, int lengthBytes) {
    return Math.addExact(Math.multiplyExact(count, lengthBytes), ALIGNMENT_BYTES);
  }

  /** A buffer, if the stream may have one now. */
  public Optional<Buffer> tryAcquire(DiskStream stream) {
    return locked(() -> take(stream, 0));
  }

  /**
   * Waits for a buffer; empty at the deadline.
   *
   * @param left number of buffers that it leaves to more urgent requests
   */
  public Optional<Buffer> acquire(DiskStream stream, int left, long timeoutMs)
      throws InterruptedException {
    lock.lock();
    try {
      Optional<Buffer> taken = take(stream, left);
      return taken.isPresent() ? taken : await(new Waiter(stream, left), timeoutMs);
    } finally {
      lock.unlock();
    }
  }

  private Optional<Buffer> await(Waiter waiter, long timeoutMs) throws InterruptedException {
    long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    waiters.add(waiter);
    countWaiting(waiter.stream, 1);
    try {
      while (waiter.granted == null && leftNs > 0 && !closed) {
        leftNs = waiter.changed.awaitNanos(leftNs);
        wakeUps++;
      }
      return Optional.ofNullable(waiter.granted);
    } catch (InterruptedException e) {
      if (waiter.granted != null) { // in the same moment
        giveBack(waiter.granted);
      }
      throw e;
    } finally {
      if (waiters.remove(waiter)) {
        countWaiting(waiter.stream, -1);
        handOut(); // others may have more while fewer wait
      }
    }
  }

  private void countWaiting(DiskStream stream, int number) {
    add(users.waiting, stream.user(), number);
    add(applications.waiting, applicationOf(stream), number);
  }

  /** Gives free buffers to waiting threads, as long as one of them may have one. */
  private void handOut() {
    boolean granted = true;
    while (granted && !free.isEmpty()) { // each grant changes what others may have
      granted = false;
      for (Waiter each : waiters) {
        Optional<Buffer> taken = take(each.stream, each.left);
        if (taken.isPresent()) {
          each.granted = taken.get();
          waiters.remove(each);
          countWaiting(each.stream, -1);
          each.changed.signal();
          granted = true;
          break;
        }
      }
    }
  }

  private Optional<Buffer> take(DiskStream stream, int left) {
    if (closed || free.size() <= left || ofStreams.getOrDefault(stream, 0) >= mostOfStream) {
      return Optional.empty();
    }
    if (hasItsShare(users, stream.user()) || hasItsShare(applications, applicationOf(stream))) {
      return Optional.empty();
    }
    countHeld(stream, 1);
    return Optional.of(new Buffer(stream, free.remove().clear()));
  }

  /** Whether others wait, and this user or application holds half of all. */
  private boolean hasItsShare(Group group, Object of) {
    return group.othersWait(of) && group.held.getOrDefault(of, 0) >= (count + 1) / 2;
  }

  private void countHeld(DiskStream stream, int number) {
    add(ofStreams, stream, number);
    add(users.held, stream.user(), number);
    add(applications.held, applicationOf(stream), number);
  }

  private static Object applicationOf(DiskStream stream) {
    return List.of(stream.user(), stream.application());
  }

  private void giveBack(Buffer buffer) {
    lock.lock();
    try {
      if (buffer.back) {
        throw new IllegalStateException("a buffer of " + buffer.stream + " was given back twice");
      }
      buffer.back = true;
      free.add(buffer.bytes);
      countHeld(buffer.stream, -1);
      handOut();
      freeIfUnused();
    } finally {
      lock.unlock();
    }
  }

  private <T> T locked(Supplier<T> read) {
    lock.lock();
    try {
      return read.get();
    } finally {
      lock.unlock();
    }
  }

  /** Number of free buffers. */
  public int available() {
    return locked(() -> free.size());
  }

  /** Number of waiting threads. */
  int waiting() {
    return locked(() -> waiters.size());
  }

  /** Number of times that a waiting thread was woken. */
  long wakeUps() {
    return locked(() -> wakeUps);
  }

  /** Grants no more buffers, and ends all waits; idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        waiters.forEach(each -> each.changed.signal());
        freeIfUnused();
      }
    } finally {
      lock.unlock();
    }
  }

  private void freeIfUnused() {
    if (closed && free.size() == count) {
      OffHeap.free(memory);
    }
  }

  /**
   * All buffers of a device were in use until the deadline. The device was not asked, so this says
   * nothing about its state; the same call may succeed later.
   */
  public static final class NoBufferException extends IOException {
    private static final long serialVersionUID = 1L;

    /** {@code message} names the file. */
    public NoBufferException(String message) {
      super(message);
    }
  }
}
