package io.sluice.spill.disk;

import io.sluice.rdma.memory.LentBytes;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.rdma.threads.LastWords;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of the disk tier, read and written through the queue of its device, past the page cache.
 *
 * <p>Direct I/O knows whole pages only. So what is read begins and ends up to a page outside of
 * what was asked for; what is written of a page in part, at either end, goes through the page
 * cache, and the kernel sees to it that both ways show the same bytes.
 *
 * <p>Thread contract: safe from any thread. Ownership: whoever opens it closes it; the file is
 * closed when nothing of it is under way any more. The {@link SharedFile} stays its owner's.
 * Failure: {@link IOException} of the file, or within the device's deadline where it does not
 * answer or its memory is all in use.
 */
public final class DeviceFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DeviceFile.class);
  private static final int PAGE_BYTES = BufferSet.ALIGNMENT_BYTES;

  private final Device device;
  private final SharedFile shared;
  private final Object opening = new Object(); // may be held for as long as the device hangs
  private volatile DirectFile direct; // null until it is needed
  private int uses; // guarded by this
  private boolean closed; // guarded by this

  /** Opens nothing yet: even that is the device's business. */
  public DeviceFile(Device device, SharedFile shared) {
    this.device = device;
    this.shared = shared;
  }

  /** Reads up to so many bytes, {@link Device#UNIT_BYTES} at most. */
  public LentBytes read(IoClass ioClass, DiskStream stream, long offsetBytes, int lengthBytes)
      throws IOException {
    int unitBytes = Math.min(lengthBytes, Device.UNIT_BYTES);
    Transfer transfer = new Transfer(device.reads(), stream, offsetBytes, unitBytes);
    try {
      transfer.run(ioClass, stream, () -> direct().read(transfer.pages(), transfer.pagesStart()));
      return transfer;
    } catch (IOException | RuntimeException | Error e) {
      transfer.close();
      throw e;
    }
  }

  /** Memory for bytes that are to be written; see {@link Write}. */
  public Write beginWrite(DiskStream stream, long offsetBytes, int lengthBytes) throws IOException {
    if (lengthBytes > Device.UNIT_BYTES) {
      throw new IllegalArgumentException(
          lengthBytes + " bytes at a time, at most " + Device.UNIT_BYTES + " can be written");
    }
    return new Write(stream, new Transfer(device.writes(), stream, offsetBytes, lengthBytes));
  }

  /** Has on the device's medium what was written. */
  public void force(IoClass ioClass, DiskStream stream) throws IOException {
    DiskRequest request =
        new DiskRequest(ioClass, stream, 1, unit -> direct().force(), this::unuse);
    use();
    device.queue().run(request);
  }

  /** Bytes on their way: filled by their owner, then written. Thread contract: one thread. */
  public final class Write implements LentBytes {
    private final DiskStream stream;
    private final Transfer transfer;

    private Write(DiskStream stream, Transfer transfer) {
      this.stream = stream;
      this.transfer = transfer;
    }

    @Override
    public ByteBuffer bytes() {
      return transfer.bytes();
    }

    /** Returns when they are written, all of them. */
    public void run(IoClass ioClass) throws IOException {
      transfer.run(ioClass, stream, this::write);
    }

    private void write() throws IOException {
      ByteBuffer bytes = transfer.bytes();
      long position = transfer.offsetBytes;
      int headBytes = Math.min(bytes.remaining(), paddingTo(position));
      int wholeBytes = (bytes.remaining() - headBytes) / PAGE_BYTES * PAGE_BYTES;
      shared.write(position, part(bytes, 0, headBytes));
      if (wholeBytes > 0) {
        direct().write(part(bytes, headBytes, wholeBytes), position + headBytes);
      }
      int doneBytes = headBytes + wholeBytes;
      shared.write(position + doneBytes, part(bytes, doneBytes, bytes.remaining() - doneBytes));
    }

    private static ByteBuffer part(ByteBuffer bytes, int offset, int lengthBytes) {
      return bytes.slice(bytes.position() + offset, lengthBytes);
    }

    @Override
    public void close() {
      transfer.close();
    }
  }

  private static int paddingTo(long position) {
    return (int) (-position & (PAGE_BYTES - 1));
  }

  /** One unit and its memory, which is given back by the last of its owner and the device. */
  private final class Transfer implements LentBytes {
    private final long offsetBytes;
    private final int lengthBytes;
    private final long sinceNanos = System.nanoTime();
    private final BufferSet.Buffer buffer;
    private int holders = 1;
    private boolean ownersClosed;

    Transfer(BufferSet memory, DiskStream stream, long offsetBytes, int lengthBytes)
        throws IOException {
      this.offsetBytes = offsetBytes;
      this.lengthBytes = lengthBytes;
      use();
      try {
        this.buffer = acquire(memory, stream);
      } catch (IOException | RuntimeException | Error e) {
        unuse();
        throw e;
      }
    }

    private BufferSet.Buffer acquire(BufferSet memory, DiskStream stream) throws IOException {
      try {
        return memory
            .acquire(stream, device.timeoutMs())
            .orElseThrow(
                () ->
                    new IOException(
                        "none of the buffers for "
                            + shared.path()
                            + " came back within "
                            + device.timeoutMs()
                            + " ms"));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw (IOException)
            new InterruptedIOException("interrupted at " + shared.path()).initCause(e);
      }
    }

    @Override
    public ByteBuffer bytes() {
      return buffer.bytes().slice(skipBytes(), lengthBytes);
    }

    /** The whole pages in which they lie. */
    ByteBuffer pages() {
      int endBytes = skipBytes() + lengthBytes;
      return buffer.bytes().limit(endBytes + paddingTo(endBytes));
    }

    long pagesStart() {
      return offsetBytes - skipBytes();
    }

    private int skipBytes() {
      return (int) (offsetBytes & (PAGE_BYTES - 1));
    }

    void run(IoClass ioClass, DiskStream stream, Step step) throws IOException {
      DiskRequest request = new DiskRequest(ioClass, stream, 1, unit -> step.run(), this::letGo);
      hold();
      device.queue().run(request);
      device.meter().done(ioClass, lengthBytes, System.nanoTime() - sinceNanos);
    }

    private synchronized void hold() {
      holders++;
    }

    private void letGo() {
      synchronized (this) {
        if (--holders > 0) {
          return;
        }
      }
      buffer.close();
      unuse();
    }

    @Override
    public void close() {
      if (!ownersClosed) {
        ownersClosed = true;
        letGo();
      }
    }
  }

  /** What a unit does. */
  private interface Step {
    void run() throws IOException;
  }

  private synchronized void use() throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    uses++;
  }

  private void unuse() {
    synchronized (this) {
      uses--;
    }
    closeUnused();
  }

  private DirectFile direct() throws IOException {
    synchronized (opening) {
      if (direct == null) {
        direct = DirectFile.open(shared.path());
      }
      return direct;
    }
  }

  /** Lets nothing begin any more. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    closeUnused();
  }

  private synchronized void closeUnused() {
    if (closed && uses == 0 && direct != null) {
      try {
        direct.close();
      } catch (IOException e) { // nothing is written behind anybody's back, so nothing is lost
        LastWords.warn(LOG, "{} could not be closed", shared.path(), e);
      }
      direct = null;
    }
  }
}
