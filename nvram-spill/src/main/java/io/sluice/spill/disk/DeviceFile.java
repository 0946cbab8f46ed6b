package io.sluice.spill.disk;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.spill.disk.BufferSet.NoBufferException;
import io.sluice.spill.disk.DiskRequest.DiskStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of the disk tier, read and written through the queue of its device, past the page cache.
 *
 * <p>Direct I/O works on whole pages. So a read begins and ends up to a page outside the requested
 * range. The parts of a page at either end of a write go through the page cache, and the kernel
 * makes both ways show the same bytes.
 *
 * <p>Thread contract: safe from any thread. Ownership: the caller that opens it closes it. A
 * descriptor is open only during reads and writes, since a pool has thousands of such files. The
 * {@link SharedFile} stays its owner's. Failure: {@link IOException} of the file, or within the
 * device's deadline if it does not answer; {@link NoBufferException} if all its memory is in use.
 */
public final class DeviceFile implements ReadAhead.Source, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceFile.class);
  static final int PAGE_BYTES = BufferSet.ALIGNMENT_BYTES;

  private final Device device;
  private final SharedFile shared;
  private final DiskStream stream;
  private final Runnable onWritten;
  private final Object opening = new Object(); // a lock that may be held while the device hangs
  private volatile DirectFile direct; // null while nothing is read or written
  private int uses; // guarded by this
  private boolean closed; // guarded by this
  private long writtenBytes; // guarded by written, which has the ends of writes behind a gap
  private final SortedMap<Long, Long> written = new TreeMap<>();

  /**
   * Opens nothing yet: opening is a request to the device as well.
   *
   * @param stream whose turns its requests take
   * @param onWritten called by the device's threads after {@link #writtenBytes} may have grown
   */
  public DeviceFile(Device device, SharedFile shared, DiskStream stream, Runnable onWritten) {
    this.device = device;
    this.shared = shared;
    this.stream = stream;
    this.onWritten = onWritten;
  }

  /** Reads up to {@code lengthBytes}, at most {@link Device#UNIT_BYTES}. */
  public LentBytes read(IoClass ioClass, long offsetBytes, int lengthBytes) throws IOException {
    Optional<LentBytes> ahead = device.readAhead().take(this, offsetBytes, lengthBytes);
    if (ahead.isPresent()) {
      return ahead.get();
    }
    long sinceNanos = System.nanoTime(); // the wait for memory is part of it
    int unitBytes = Math.min(lengthBytes, Device.UNIT_BYTES);
    Transfer transfer = new Transfer(this, acquire(device.reads(), 0), offsetBytes, unitBytes);
    try {
      device.queue().await(transfer.begin(ioClass, sinceNanos, transfer::read));
      return transfer;
    } catch (IOException | RuntimeException | Error e) {
      transfer.close();
      throw e;
    }
  }

  /**
   * Fills an array as far as the file goes, through the page cache: for small parts that are read
   * often. Returns the number of bytes.
   */
  public int readCached(IoClass ioClass, long offsetBytes, byte[] destination) throws IOException {
    int doneBytes = 0;
    while (doneBytes < destination.length) {
      int unitBytes = Math.min(destination.length - doneBytes, Device.UNIT_BYTES);
      byte[] unit = readUnitCached(ioClass, offsetBytes + doneBytes, unitBytes);
      System.arraycopy(unit, 0, destination, doneBytes, unit.length);
      doneBytes += unit.length;
      if (unit.length < unitBytes) {
        break;
      }
    }
    return doneBytes;
  }

  /** Reads into new memory: the kernel may write to it after the caller has given up. */
  private byte[] readUnitCached(IoClass ioClass, long offsetBytes, int lengthBytes)
      throws IOException {
    ByteBuffer unit = ByteBuffer.allocate(lengthBytes);
    DiskRequest request =
        DiskRequest.cached(ioClass, stream, index -> shared.read(offsetBytes, unit), this::unuse);
    use();
    device.queue().run(request);
    return unit.hasRemaining() ? Arrays.copyOf(unit.array(), unit.position()) : unit.array();
  }

  /** A range that a reader was told of, and will probably read. */
  public static final class PlannedRange {
    private final Device device;
    private final ReadAhead.Stretch stretch;

    private PlannedRange(Device device, ReadAhead.Stretch stretch) {
      this.device = device;
      this.stretch = stretch;
    }
  }

  /** A range for {@link #plan}. */
  public PlannedRange plannedRange(long offsetBytes, long lengthBytes) {
    return new PlannedRange(device, new ReadAhead.Stretch(this, offsetBytes, lengthBytes));
  }

  /** One reader was told of these ranges, and may read them in this order. */
  public static void plan(List<PlannedRange> all) {
    Map<Device, List<ReadAhead.Stretch>> byDevice = new LinkedHashMap<>();
    for (PlannedRange each : all) {
      byDevice.computeIfAbsent(each.device, device -> new ArrayList<>()).add(each.stretch);
    }
    byDevice.forEach((device, stretches) -> device.readAhead().plan(stretches));
  }

  @Override
  public Optional<ReadAhead.Piece> readAhead(long offsetBytes, int lengthBytes) {
    Optional<BufferSet.Buffer> buffer = device.aheads().tryAcquire(stream);
    if (buffer.isEmpty()) {
      return Optional.empty();
    }
    Transfer transfer;
    try {
      transfer = new Transfer(this, buffer.get(), offsetBytes, lengthBytes);
    } catch (ClosedChannelException e) {
      return Optional.empty();
    }
    try {
      transfer.beginReadAhead();
      return Optional.of(transfer);
    } catch (RuntimeException | Error e) {
      transfer.close();
      throw e;
    }
  }

  /**
   * Memory for bytes that are to be written; see {@link Write}. Requests that free memory have a
   * buffer of their own while maps wait for the others. A copy takes a buffer of those for reading
   * ahead: nobody waits for either. Nothing is queued yet.
   *
   * @throws NoBufferException if no buffer came back within the deadline
   */
  public Write beginWrite(IoClass ioClass, long offsetBytes, int lengthBytes) throws IOException {
    if (lengthBytes > Device.UNIT_BYTES) {
      throw new IllegalArgumentException(
          lengthBytes + " bytes at a time, at most " + Device.UNIT_BYTES + " can be written");
    }
    BufferSet.Buffer buffer =
        ioClass == IoClass.COPY
            ? acquireFromReadAhead()
            : acquire(device.writes(), ioClass.freesMemory() ? 0 : Device.URGENT_WRITE_BUFFERS);
    return new Write(ioClass, new Transfer(this, buffer, offsetBytes, lengthBytes));
  }

  /** Everything before this offset has been written. */
  public long writtenBytes() {
    synchronized (written) {
      return writtenBytes;
    }
  }

  private void wrote(long offsetBytes, long endBytes) {
    synchronized (written) {
      written.merge(offsetBytes, endBytes, Math::max);
      while (!written.isEmpty() && written.firstKey() <= writtenBytes) {
        writtenBytes = Math.max(writtenBytes, written.remove(written.firstKey()));
      }
    }
    onWritten.run();
  }

  /** Makes the written bytes safe on the device's medium. */
  public void force(IoClass ioClass) throws IOException {
    DiskRequest request =
        new DiskRequest(ioClass, stream, 1, unit -> direct().force(), this::unuse);
    use();
    device.queue().run(request);
  }

  private BufferSet.Buffer acquire(BufferSet memory, int left) throws IOException {
    return acquire(memory, left, device.timeoutMs()).orElseThrow(this::noBuffer);
  }

  /** Takes buffers of bytes that were read ahead and are stale, also during the wait. */
  private BufferSet.Buffer acquireFromReadAhead() throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(device.timeoutMs());
    while (true) {
      long nextStaleMs = device.readAhead().giveUpStale();
      long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
      Optional<BufferSet.Buffer> buffer =
          acquire(device.aheads(), 0, Math.max(0, Math.min(nextStaleMs, leftMs)));
      if (buffer.isPresent()) {
        return buffer.get();
      }
      if (leftMs <= 0) {
        throw noBuffer();
      }
    }
  }

  private Optional<BufferSet.Buffer> acquire(BufferSet memory, int left, long waitMs)
      throws IOException {
    try {
      return memory.acquire(stream, left, waitMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw (IOException)
          new InterruptedIOException("interrupted at " + shared.path()).initCause(e);
    }
  }

  private NoBufferException noBuffer() {
    return new NoBufferException(
        "all buffers of the device of %s were in use for %s ms"
            .formatted(shared.path(), device.timeoutMs()));
  }

  /** A write: its owner fills the bytes, then begins it. Thread contract: one thread. */
  public final class Write implements LentBytes {
    private final IoClass ioClass;
    private final Transfer transfer;
    private DiskRequest request; // null before it is begun

    private Write(IoClass ioClass, Transfer transfer) {
      this.ioClass = ioClass;
      this.transfer = transfer;
    }

    @Override
    public ByteBuffer bytes() {
      return transfer.bytes();
    }

    /** Longest time to fill it: others wait four times as long for the memory. */
    public long fillTimeoutMs() {
      return Math.max(1, device.timeoutMs() / 4);
    }

    /** Writes all bytes, and waits for that. */
    public void run() throws IOException {
      begin();
      await();
    }

    /**
     * Begins the write; the device has the memory until the write is done. If this throws, nothing
     * is written.
     */
    public void begin() {
      request = transfer.begin(ioClass, System.nanoTime(), this::write);
    }

    /** Waits for the write that was begun; also allowed after {@link #close}. */
    public void await() throws IOException {
      device.queue().await(request);
    }

    private void write() throws IOException {
      ByteBuffer bytes = transfer.bytes();
      long position = transfer.offsetBytes();
      int headBytes = Math.min(bytes.remaining(), paddingTo(position));
      int wholeBytes = (bytes.remaining() - headBytes) / PAGE_BYTES * PAGE_BYTES;
      shared.write(position, part(bytes, 0, headBytes));
      if (wholeBytes > 0) {
        direct().write(part(bytes, headBytes, wholeBytes), position + headBytes);
      }
      int doneBytes = headBytes + wholeBytes;
      shared.write(position + doneBytes, part(bytes, doneBytes, bytes.remaining() - doneBytes));
      wrote(position, position + bytes.remaining());
    }

    private static ByteBuffer part(ByteBuffer bytes, int offset, int lengthBytes) {
      return bytes.slice(bytes.position() + offset, lengthBytes);
    }

    @Override
    public void close() {
      transfer.close();
    }
  }

  /** Number of bytes to the end of the page. */
  static int paddingTo(long position) {
    return (int) (-position & (PAGE_BYTES - 1));
  }

  Device device() {
    return device;
  }

  DiskStream stream() {
    return stream;
  }

  /** Keeps the descriptor open until {@link #unuse}. */
  synchronized void use() throws ClosedChannelException {
    if (closed) {
      throw new ClosedChannelException();
    }
    uses++;
  }

  void unuse() {
    synchronized (this) {
      uses--;
    }
    closeUnused();
  }

  DirectFile direct() throws IOException {
    synchronized (opening) {
      if (direct == null) {
        direct = DirectFile.open(shared.path(), device.takesDirect(shared.path()));
      }
      return direct;
    }
  }

  /** Refuses new reads and writes. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true; // first, so that nothing more is read ahead
    }
    device.readAhead().forget(this);
    closeUnused();
  }

  private synchronized void closeUnused() {
    if (uses == 0 && direct != null) {
      try {
        direct.close();
      } catch (IOException e) { // every write was awaited, so nothing is lost
        SafeLog.warn(LOG, "{} could not be closed", shared.path(), e);
      }
      direct = null;
    }
  }
}
