package io.sluice.spill.disk;

import io.sluice.rdma.memory.LendingReader.LentBytes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;

/**
 * One unit that is read or written between a {@link DeviceFile} and a buffer. Its owner, its parts
 * and the device hold it; the last of them gives the buffer back and releases the file.
 *
 * <p>Thread contract: one thread owns it; other threads may hold parts, and the device's threads do
 * the work. Ownership: the caller that made it closes it, and each part. Failure: {@link
 * IOException} of the file or the queue.
 */
final class Transfer implements LentBytes, ReadAhead.Piece {
  private final DeviceFile file;
  private final long offsetBytes;
  private final int lengthBytes;
  private final BufferSet.Buffer buffer;
  private DiskRequest request; // of a unit that is read ahead
  private int holders = 1;
  private boolean ownersClosed;

  /** Takes the buffer over, also if it fails. */
  Transfer(DeviceFile file, BufferSet.Buffer buffer, long offsetBytes, int lengthBytes)
      throws ClosedChannelException {
    this.file = file;
    this.offsetBytes = offsetBytes;
    this.lengthBytes = lengthBytes;
    this.buffer = buffer;
    try {
      file.use();
    } catch (ClosedChannelException e) {
      buffer.close();
      throw e;
    }
  }

  @Override
  public ByteBuffer bytes() {
    return buffer.bytes().slice(skipBytes(), lengthBytes);
  }

  @Override
  public long offsetBytes() {
    return offsetBytes;
  }

  @Override
  public long endBytes() {
    return offsetBytes + lengthBytes;
  }

  @Override
  public LentBytes part(long partOffsetBytes, int partBytes) {
    ByteBuffer part = bytes().slice((int) (partOffsetBytes - offsetBytes), partBytes);
    hold();
    return new LentBytes() {
      private boolean closed;

      @Override
      public ByteBuffer bytes() {
        return part.duplicate();
      }

      @Override
      public void close() {
        if (!closed) {
          closed = true;
          letGo();
        }
      }
    };
  }

  @Override
  public void await() throws IOException {
    file.device().queue().promote(request, IoClass.READ_SEND);
    file.device().queue().await(request);
  }

  /** Begins to read ahead. */
  void beginReadAhead() {
    request = begin(IoClass.READ_AHEAD, System.nanoTime(), this::read);
  }

  /** Reads the whole pages in which the bytes lie. */
  void read() throws IOException {
    int endBytes = skipBytes() + lengthBytes;
    ByteBuffer pages = buffer.bytes().limit(endBytes + DeviceFile.paddingTo(endBytes));
    file.direct().read(pages, offsetBytes - skipBytes());
  }

  private int skipBytes() {
    return (int) (offsetBytes & (DeviceFile.PAGE_BYTES - 1));
  }

  DiskRequest begin(IoClass ioClass, long sinceNanos, Step step) {
    DiskRequest begun =
        new DiskRequest(
            ioClass, file.stream(), 1, unit -> count(ioClass, sinceNanos, step), this::letGo);
    hold();
    file.device().queue().submit(begun);
    return begun;
  }

  private void count(IoClass ioClass, long sinceNanos, Step step) throws IOException {
    step.run();
    file.device().meter().done(ioClass, lengthBytes, System.nanoTime() - sinceNanos);
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
    file.unuse();
  }

  /** Cancels the read if it has not begun and no part was given out. */
  @Override
  public void close() {
    if (ownersClosed) {
      return;
    }
    ownersClosed = true;
    boolean unwanted = request != null && isOnlyRequested();
    letGo();
    if (unwanted) {
      file.device().queue().cancel(request);
    }
  }

  /** Whether nobody holds it but its owner and the device: no part of it was given out. */
  private synchronized boolean isOnlyRequested() {
    return holders == 2;
  }

  /** The work of a unit. */
  interface Step {
    void run() throws IOException;
  }
}
