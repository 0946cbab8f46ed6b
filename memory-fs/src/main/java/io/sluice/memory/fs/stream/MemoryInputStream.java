package io.sluice.memory.fs.stream;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.tree.OpenFile;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.apache.hadoop.fs.ByteBufferPositionedReadable;
import org.apache.hadoop.fs.ByteBufferReadable;
import org.apache.hadoop.fs.CanUnbuffer;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a file where it lies: one copy from the store's mapping into the caller's memory.
 *
 * <p>Thread contract: positioned reads from any thread, everything else from one at a time; {@link
 * #close} from any, and who reads meanwhile fails. No read takes a lock. Ownership: whoever opened
 * it closes it; the bytes of one that is forgotten come back when it is collected. Failure: {@link
 * IOException} of the disk tier, or once it is closed.
 */
public final class MemoryInputStream extends FSInputStream
    implements ByteBufferReadable,
        ByteBufferPositionedReadable,
        CanUnbuffer,
        StreamCapabilities,
        IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryInputStream.class);
  private static final Cleaner FORGOTTEN = Cleaner.create();

  /** Of a file on disk, at a time: less is slow there. */
  private static final int WINDOW_BYTES = 512 << 10;

  private final FileContent content;
  private final Cleaner.Cleanable file;
  private final ReadBytes read;
  private volatile boolean closed;
  private long positionBytes;
  private ByteBuffer near; // the bytes from nearStart to nearEnd; null: none
  private long nearStartBytes;
  private long nearEndBytes;
  private ByteBuffer window; // for what lies on disk; null before that

  /** From the beginning of a file, which it closes. */
  public MemoryInputStream(OpenFile file, ReadBytes read) {
    this.content = file.content();
    this.read = read;
    this.file = FORGOTTEN.register(this, new End(file));
  }

  /** What happens once, whoever closes it. */
  private record End(OpenFile file) implements Runnable {
    @Override
    public void run() {
      try {
        file.close();
      } catch (IOException e) { // nobody's bytes, but room on a disk
        LOG.warn("What a deleted file had on disk could not be given back", e);
      }
    }
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
  }

  /** What was read is the file's only if it was not closed before: else it may be another's. */
  private void checkStillOpen() throws IOException {
    VarHandle.acquireFence();
    checkOpen();
  }

  /** Has the byte at the position among those nearby; false at the end. */
  private boolean comeNear() throws IOException {
    if (near != null && positionBytes >= nearStartBytes && positionBytes < nearEndBytes) {
      return true;
    }
    FileContent.Stretch stretch = content.stretch(positionBytes);
    if (stretch == null) {
      return false;
    }
    if (stretch.memory() != null) {
      near = stretch.memory();
      nearStartBytes = stretch.startBytes();
      nearEndBytes = stretch.endBytes();
      return true;
    }
    if (window == null) {
      window = ByteBuffer.allocate(WINDOW_BYTES);
    }
    near = null; // if it fails, the window has nothing
    window.clear();
    int n = content.read(positionBytes, window);
    near = window;
    nearStartBytes = positionBytes;
    nearEndBytes = positionBytes + n;
    return n > 0;
  }

  @Override
  public int read() throws IOException {
    checkOpen();
    if (!comeNear()) {
      return -1;
    }
    int value = near.get((int) (positionBytes - nearStartBytes)) & 0xff;
    checkStillOpen();
    positionBytes++;
    read.addSingle();
    return value;
  }

  @Override
  public int read(byte[] destination, int offset, int lengthBytes) throws IOException {
    Objects.checkFromIndexSize(offset, lengthBytes, destination.length);
    checkOpen();
    int doneBytes = 0;
    while (doneBytes < lengthBytes && comeNear()) {
      int n = (int) Math.min(lengthBytes - doneBytes, nearEndBytes - positionBytes);
      near.get((int) (positionBytes - nearStartBytes), destination, offset + doneBytes, n);
      positionBytes += n;
      doneBytes += n;
    }
    checkStillOpen();
    read.add(doneBytes);
    return doneBytes > 0 || lengthBytes == 0 ? doneBytes : -1;
  }

  @Override
  public int read(ByteBuffer destination) throws IOException {
    int n = read(positionBytes, destination);
    positionBytes += Math.max(0, n);
    return n;
  }

  @Override
  public int read(long fromBytes, byte[] destination, int offset, int lengthBytes)
      throws IOException {
    validatePositionedReadArgs(fromBytes, destination, offset, lengthBytes);
    return read(fromBytes, ByteBuffer.wrap(destination, offset, lengthBytes));
  }

  @Override
  public int read(long fromBytes, ByteBuffer destination) throws IOException {
    if (fromBytes < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + fromBytes);
    }
    checkOpen();
    int n = content.read(fromBytes, destination);
    checkStillOpen();
    read.add(Math.max(0, n));
    return n;
  }

  @Override
  public void readFully(long fromBytes, byte[] destination, int offset, int lengthBytes)
      throws IOException {
    validatePositionedReadArgs(fromBytes, destination, offset, lengthBytes);
    readFully(fromBytes, ByteBuffer.wrap(destination, offset, lengthBytes));
  }

  @Override
  public void readFully(long fromBytes, ByteBuffer destination) throws IOException {
    int wantedBytes = destination.remaining();
    if (read(fromBytes, destination) < wantedBytes) {
      throw new EOFException(
          "%s: %s bytes from %s, of a file of %s"
              .formatted(
                  FSExceptionMessages.EOF_IN_READ_FULLY,
                  wantedBytes,
                  fromBytes,
                  content.lengthBytes()));
    }
  }

  @Override
  public void seek(long targetBytes) throws IOException {
    checkOpen();
    if (targetBytes < 0) {
      throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + targetBytes);
    }
    if (targetBytes > content.lengthBytes()) {
      throw new EOFException(
          "%s: %s, of a file of %s bytes"
              .formatted(
                  FSExceptionMessages.CANNOT_SEEK_PAST_EOF, targetBytes, content.lengthBytes()));
    }
    positionBytes = targetBytes;
  }

  @Override
  public long skip(long wantedBytes) throws IOException {
    checkOpen();
    long n = Math.max(0, Math.min(wantedBytes, content.lengthBytes() - positionBytes));
    positionBytes += n;
    return n;
  }

  @Override
  public long getPos() {
    return positionBytes;
  }

  @Override
  public boolean seekToNewSource(long targetBytes) {
    return false; // there is one
  }

  @Override
  public int available() throws IOException {
    checkOpen();
    return (int) Math.min(Integer.MAX_VALUE, Math.max(0, content.lengthBytes() - positionBytes));
  }

  @Override
  public void unbuffer() {
    near = null;
    window = null;
  }

  @Override
  public boolean hasCapability(String capability) {
    return switch (capability) {
      case READBYTEBUFFER, PREADBYTEBUFFER, UNBUFFER, VECTOREDIO, IOSTATISTICS -> true;
      default -> false;
    };
  }

  @Override
  public IOStatistics getIOStatistics() {
    return IOStatisticsBinding.dynamicIOStatistics()
        .withLongFunctionCounter(StreamStatisticNames.STREAM_READ_BYTES, name -> read.sumBytes())
        .build();
  }

  @Override
  public void close() {
    closed = true;
    read.close();
    file.clean();
  }
}
