package io.sluice.spill.disk;

import io.sluice.rdma.memory.OffHeap;
import java.io.Closeable;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * The memory of one device for one purpose: some buffers that are there from the start, so that
 * what is queued needs none, and nobody waits for the ledger to reach the disk.
 *
 * <p>A stream holds at most so many, and a user, or an application, at most half of all while
 * another one waits: else whoever sends or reads slowly stops a device for all, and who has many
 * applications stops it for who has one.
 *
 * <p>Thread contract: safe from any thread; the lock is a leaf. Who waits holds no lock, and no
 * other buffer but of what the device is to do, which it gives back itself. Ownership: this owns
 * the memory, which is freed when this is closed and all buffers are back: a device that hangs
 * keeps those of its units until it answers.
 */
public final class BufferSet implements Closeable {
  /** What direct I/O asks of addresses, on every device of ours. */
  static final int ALIGNMENT_BYTES = 4096;

  private final int count;
  private final int mostOfStream;
  private final ByteBuffer memory;
  private final Deque<ByteBuffer> free = new ArrayDeque<>();
  private final Map<DiskStream, Integer> ofStreams = new HashMap<>();
  private final Map<DiskStream, Integer> waiting = new HashMap<>();
  private final ReentrantLock lock = new ReentrantLock(true); // who waits longest is first
  private final Condition returned = lock.newCondition();
  private boolean closed;

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
   * Allocates all.
   *
   * @param mostOfStream how many a stream may hold
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

  /** What so many take. */
  static int memoryBytes(int count, int lengthBytes) {
    return Math.addExact(Math.multiplyExact(count, lengthBytes), ALIGNMENT_BYTES);
  }

  /** A buffer, if the stream may have one now. */
  public Optional<Buffer> tryAcquire(DiskStream stream) {
    lock.lock();
    try {
      return take(stream, 0);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Waits for one; nothing at the deadline.
   *
   * @param left how many it leaves to those who are more urgent
   */
  public Optional<Buffer> acquire(DiskStream stream, int left, long timeoutMs)
      throws InterruptedException {
    long leftNs = TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    lock.lock();
    try {
      waiting.merge(stream, 1, Integer::sum);
      try {
        Optional<Buffer> taken = take(stream, left);
        while (taken.isEmpty() && leftNs > 0 && !closed) {
          leftNs = returned.awaitNanos(leftNs);
          taken = take(stream, left);
        }
        return taken;
      } finally {
        waiting.computeIfPresent(stream, (of, n) -> n == 1 ? null : n - 1);
        returned.signalAll(); // others may have more while fewer wait
      }
    } finally {
      lock.unlock();
    }
  }

  private Optional<Buffer> take(DiskStream stream, int left) {
    if (closed || free.size() <= left || ofStreams.getOrDefault(stream, 0) >= mostOfStream) {
      return Optional.empty();
    }
    if (hasItsShare(stream, DiskStream::user) || hasItsShare(stream, BufferSet::applicationOf)) {
      return Optional.empty();
    }
    ofStreams.merge(stream, 1, Integer::sum);
    return Optional.of(new Buffer(stream, free.remove().clear()));
  }

  /** Whether others wait, and those of its group hold half of all. */
  private boolean hasItsShare(DiskStream stream, Function<DiskStream, Object> groupOf) {
    Object group = groupOf.apply(stream);
    if (waiting.keySet().stream().allMatch(each -> groupOf.apply(each).equals(group))) {
      return false;
    }
    int held =
        ofStreams.entrySet().stream()
            .filter(each -> groupOf.apply(each.getKey()).equals(group))
            .mapToInt(Map.Entry::getValue)
            .sum();
    return held >= (count + 1) / 2;
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
      ofStreams.computeIfPresent(buffer.stream, (stream, n) -> n == 1 ? null : n - 1);
      returned.signalAll();
      freeIfUnused();
    } finally {
      lock.unlock();
    }
  }

  /** How many nobody has. */
  public int available() {
    lock.lock();
    try {
      return free.size();
    } finally {
      lock.unlock();
    }
  }

  /** How many wait for one. */
  int waiting() {
    lock.lock();
    try {
      return waiting.values().stream().mapToInt(Integer::intValue).sum();
    } finally {
      lock.unlock();
    }
  }

  /** Gives out no more, and nobody waits any longer; idempotent. */
  @Override
  public void close() {
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        returned.signalAll();
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
}
