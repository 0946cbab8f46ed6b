package io.sluice.spill.disk;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * A block device in this process: its queue, and the memory through which it is read and written.
 *
 * <p>Units of {@value #UNIT_BYTES} bytes are large enough: on an NVMe disk, with 8 files read or
 * written in turn, units of 64 KiB came to half of the bytes per second of units of 1 MiB, 512 KiB
 * to nine tenths, and longer ones to no more.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link Devices} closes it, and with it the
 * memory; what the device has not given back by then is freed when it does.
 */
public final class Device implements Closeable {
  /** The most that is read or written at a time. */
  public static final int UNIT_BYTES = 1 << 20;

  /** A unit need not begin and end where direct I/O does. */
  private static final int BUFFER_BYTES = UNIT_BYTES + BufferSet.ALIGNMENT_BYTES;

  private static final int READ_BUFFERS = 8;
  private static final int WRITE_BUFFERS = 6;

  /** Of these, for what frees memory; the others are still more than a device writes at a time. */
  static final int URGENT_WRITE_BUFFERS = 1;

  private static final int AHEAD_BUFFERS = 4;
  private static final int LEAST_READ_BUFFERS = 2;
  private static final int LEAST_WRITE_BUFFERS = 3; // one urgent, and two for the queue's depth
  private static final int LEAST_AHEAD_BUFFERS = 1;
  private static final int MOST_OF_STREAM = 2;

  /**
   * How much one thread writes at a time if others wait for that: what the device does, and one
   * unit that is in the queue when it has done another. Without it the next turn is somebody
   * else's, however urgent this one is.
   */
  public static final int UNITS_UNDER_WAY = DeviceQueue.DEPTH + 1;

  /** What one takes outside the heap, unless the process has too little for it. */
  public static final int MEMORY_BYTES = memoryBytes(READ_BUFFERS, WRITE_BUFFERS, AHEAD_BUFFERS);

  /** The same in a process that has too little for that. */
  public static final int LEAST_MEMORY_BYTES =
      memoryBytes(LEAST_READ_BUFFERS, LEAST_WRITE_BUFFERS, LEAST_AHEAD_BUFFERS);

  private final String name;
  private final DeviceMeter meter = new DeviceMeter();
  private final DeviceQueue queue;
  private final BufferSet reads;
  private final BufferSet writes;
  private final BufferSet aheads;
  private final ReadAhead readAhead;
  private final long timeoutMs;
  private volatile Boolean takesDirect; // null: not asked yet

  /**
   * Has its memory from now on: {@link #MEMORY_BYTES}.
   *
   * @param name for people: a directory on it
   * @param timeoutMs how long a unit may take, and how long one waits for memory
   */
  Device(String name, long timeoutMs) {
    this(name, timeoutMs, System::nanoTime);
  }

  /** The same by a clock of one's own for what is read ahead. */
  Device(String name, long timeoutMs, LongSupplier nanoTime) {
    this(name, timeoutMs, nanoTime, READ_BUFFERS, WRITE_BUFFERS, AHEAD_BUFFERS);
  }

  /** The same with {@link #LEAST_MEMORY_BYTES}. */
  static Device withLeastMemory(String name, long timeoutMs) {
    return new Device(
        name,
        timeoutMs,
        System::nanoTime,
        LEAST_READ_BUFFERS,
        LEAST_WRITE_BUFFERS,
        LEAST_AHEAD_BUFFERS);
  }

  private Device(
      String name,
      long timeoutMs,
      LongSupplier nanoTime,
      int readBuffers,
      int writeBuffers,
      int aheadBuffers) {
    this.name = name;
    this.timeoutMs = timeoutMs;
    this.readAhead = new ReadAhead(UNIT_BYTES, nanoTime);
    this.reads = new BufferSet(readBuffers, BUFFER_BYTES, MOST_OF_STREAM);
    try {
      this.writes = new BufferSet(writeBuffers, BUFFER_BYTES, UNITS_UNDER_WAY);
    } catch (RuntimeException | Error e) { // of memory, mostly
      reads.close();
      throw e;
    }
    try {
      this.aheads = new BufferSet(aheadBuffers, BUFFER_BYTES, MOST_OF_STREAM);
    } catch (RuntimeException | Error e) {
      reads.close();
      writes.close();
      throw e;
    }
    this.queue = new DeviceQueue("the device of " + name, timeoutMs);
  }

  private static int memoryBytes(int readBuffers, int writeBuffers, int aheadBuffers) {
    return BufferSet.memoryBytes(readBuffers, BUFFER_BYTES)
        + BufferSet.memoryBytes(writeBuffers, BUFFER_BYTES)
        + BufferSet.memoryBytes(aheadBuffers, BUFFER_BYTES);
  }

  /**
   * Whether files on it may be read and written past the page cache. It is asked of the first file:
   * the system's list of what is mounted is long on a node with containers.
   */
  boolean takesDirect(Path file) throws IOException {
    if (takesDirect == null) {
      takesDirect = DirectFile.takesAlignment(Files.getFileStore(file).getBlockSize());
    }
    return takesDirect;
  }

  DeviceQueue queue() {
    return queue;
  }

  BufferSet reads() {
    return reads;
  }

  BufferSet writes() {
    return writes;
  }

  BufferSet aheads() {
    return aheads;
  }

  ReadAhead readAhead() {
    return readAhead;
  }

  DeviceMeter meter() {
    return meter;
  }

  /** Whether it does not answer: what is read or written now fails at once. */
  public boolean hangs() {
    return queue.review();
  }

  /** What it did so far. */
  DeviceStats stats() {
    return new DeviceStats(name, hangs(), meter.counts());
  }

  long timeoutMs() {
    return timeoutMs;
  }

  /** Fails what is queued. */
  @Override
  public void close() throws IOException {
    Closer.all(
        readAhead::close,
        queue::close,
        queue::awaitEnd,
        reads::close,
        writes::close,
        aheads::close);
  }
}
