package io.sluice.memory.fs.stream;

import io.sluice.memory.fs.space.FileContent;
import io.sluice.memory.fs.tree.OpenFile;
import java.io.EOFException;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.function.IntConsumer;
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
 * Reads a file with one copy, from the store's mapping into the caller's memory.
 *
 * <p>Thread contract: positioned reads from any thread, everything else from one at a time; {@link
 * #close} from any thread, and reads in progress then fail. No read takes a lock. Ownership: the
 * caller closes it; a stream that was not closed frees its file when it is collected. Failure:
 * {@link IOException} of the disk tier, or after close.
 */
public final class MemoryInputStream extends FSInputStream
    implements ByteBufferReadable,
        ByteBufferPositionedReadable,
        CanUnbuffer,
        StreamCapabilities,
        IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryInputStream.class);
  private static final Cleaner FORGOTTEN = Cleaner.create();

  /** Bytes per read from disk; smaller reads are slow. */
  private static final int WINDOW_BYTES = 512 << 10;

  private final FileContent content;
  private final Cleaner.Cleanable file;
  private final ReadBytes read;
  private volatile boolean closed;
  private long positionBytes;
  private ByteBuffer near; // bytes nearStart to nearEnd of the file, or null
  private long nearStartBytes;
  private long nearEndBytes;
  private ByteBuffer window; // read buffer for disk extents; null until needed

  /**
   * Reads from the beginning of the file.
   *
   * @param file closed with this stream
   * @param statistics counts the bytes read for the calling thread
   */
  public MemoryInputStream(OpenFile file, IntConsumer statistics) {
    this.content = file.content();
    this.read = new ReadBytes(statistics);
    this.file = FORGOTTEN.register(this, new End(file));
  }

  /** Closes the file once, by {@link #close} or by the collector. */
  private record End(OpenFile file) implements Runnable {
    @Override
    public void run() {
      try {
        file.close();
      } catch (IOException e) { // no data is lost, but room on a disk
        LOG.warn("The disk space of a deleted file could not be freed", e);
      }
    }
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
  }

  /** After a read: if the stream was closed meanwhile, the bytes may be another file's. */
  private void checkStillOpen() throws IOException {
    VarHandle.acquireFence();
    checkOpen();
  }

  /** Makes {@code near} cover the position; false at the end. */
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
    near = null; // if the read fails, the window is invalid
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
    return false; // there is only one
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

  /**
   * Counts the bytes that a stream reads. Single bytes are added in batches, because Hadoop looks
   * up its statistics by thread, which costs more than the read.
   *
   * <p>Thread contract: that of the stream; bytes that several threads read at once may be counted
   * for one of them. Ownership: the stream closes it, which adds the last batch.
   */
  private static final class ReadBytes {
    private static final int MOST_WAITING_BYTES = 4 << 10;

    private final IntConsumer statistics;
    private int waitingBytes;
    private long sumBytes;

    ReadBytes(IntConsumer statistics) {
      this.statistics = statistics;
    }

    /** All bytes so far. */
    long sumBytes() {
      return sumBytes;
    }

    void addSingle() {
      sumBytes++;
      if (++waitingBytes == MOST_WAITING_BYTES) {
        close();
      }
    }

    void add(int bytes) {
      sumBytes += bytes;
      statistics.accept(bytes);
    }

    void close() {
      statistics.accept(waitingBytes);
      waitingBytes = 0;
    }
  }
}
