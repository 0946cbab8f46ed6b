package io.sluice.spill.disk;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.disk.DeviceStats.DeviceMeter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * A block device in this process: its queue, and the memory through which it is read and written.
 *
 * <p>Units of {@value #UNIT_BYTES} bytes are large enough. On an NVMe disk, with 8 files read or
 * written in turn, units of 64 KiB had half the throughput of units of 1 MiB, and units of 512 KiB
 * nine tenths. Longer units had no more.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link Devices} closes it and its memory;
 * buffers of units that still run are freed when they end.
 */
public final class Device implements Closeable {
  /** Most bytes of one read or write. */
  public static final int UNIT_BYTES = 1 << 20;

  /** Longer than a unit, which need not begin and end where direct I/O does. */
  private static final int BUFFER_BYTES = UNIT_BYTES + BufferSet.ALIGNMENT_BYTES;

  private static final int READ_BUFFERS = 8;
  private static final int WRITE_BUFFERS = 6;

  /**
   * Write buffers for requests that free memory; the others are more than a device writes at once.
   */
  static final int URGENT_WRITE_BUFFERS = 1;

  private static final int AHEAD_BUFFERS = 4;
  private static final int LEAST_READ_BUFFERS = 2;
  private static final int LEAST_WRITE_BUFFERS = 3; // one urgent, and two for the queue's depth
  private static final int LEAST_AHEAD_BUFFERS = 1;
  private static final int MOST_OF_STREAM = 2;

  /**
   * Units that one thread writes at a time while others wait for the memory: those at the device,
   * and one that is queued when another ends. Without the queued one the next turn goes to another
   * thread, however urgent this one is.
   */
  public static final int UNITS_UNDER_WAY = DeviceQueue.DEPTH + 1;

  /** Memory of a device outside the heap, if the process has enough. */
  public static final int MEMORY_BYTES = memoryBytes(READ_BUFFERS, WRITE_BUFFERS, AHEAD_BUFFERS);

  /** Memory of a device in a process that has too little for {@link #MEMORY_BYTES}. */
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
   * Allocates its memory: {@link #MEMORY_BYTES}.
   *
   * @param name for messages: a directory on it
   * @param timeoutMs longest time of a unit, and longest wait for memory
   */
  Device(String name, long timeoutMs) {
    this(name, timeoutMs, System::nanoTime);
  }

  /** The same with another clock for reading ahead. */
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
   * Whether files on it may be read and written past the page cache. Only the first file asks the
   * system: its list of mounts is long on a node with containers.
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

  /** Whether it does not answer; reads and writes then fail at once. */
  public boolean hangs() {
    return queue.review();
  }

  /** Counts so far. */
  DeviceStats stats() {
    return new DeviceStats(name, hangs(), meter.counts());
  }

  long timeoutMs() {
    return timeoutMs;
  }

  /** Fails the queued requests. */
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
