package io.sluice.memory.fs.stream;

import io.sluice.memory.fs.space.ContentWriter;
import io.sluice.memory.fs.tree.OpenFile;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.util.Objects;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.impl.StoreImplementationUtils;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes the end of a file: one copy from the caller's memory into the store's mapping. What was
 * written can be read after a flush, of any kind.
 *
 * <p>Thread contract: safe from any thread, so that one that closes it, say to end a task, takes no
 * memory from under another that writes. Ownership: whoever opened it closes it; one that is
 * forgotten is closed when it is collected, with what was written. Failure: {@link IOException} if
 * there is no room, and then nothing of that call is written; {@link FileNotFoundException} of
 * {@link #close} if the file was deleted meanwhile.
 */
public final class MemoryOutputStream extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryOutputStream.class);
  private static final Cleaner FORGOTTEN = Cleaner.create();

  private final ContentWriter writer;
  private final End end;
  private final Cleaner.Cleanable forgotten;
  private final long startBytes;
  private final byte[] single = new byte[1];
  private boolean closed;

  /** Behind what a file has; it closes it. */
  public MemoryOutputStream(OpenFile file) {
    this.writer = new ContentWriter(file.content());
    this.startBytes = writer.positionBytes();
    this.end = new End(file, writer);
    this.forgotten = FORGOTTEN.register(this, end);
  }

  /** What happens once, whoever closes the stream. */
  private static final class End implements Runnable, Closeable {
    private final OpenFile file;
    private final ContentWriter writer;
    private boolean ended;

    End(OpenFile file, ContentWriter writer) {
      this.file = file;
      this.writer = writer;
    }

    @Override
    public void close() throws IOException {
      if (!ended) {
        ended = true;
        try (file) {
          writer.close();
        }
      }
    }

    /** Of a stream that nobody can reach any more. */
    @Override
    public void run() {
      try {
        close();
      } catch (FileNotFoundException e) {
        LOG.debug("A file was deleted, and then its writer was forgotten", e);
      } catch (IOException e) {
        LOG.warn("The end of a file whose writer did not close it is lost", e);
      }
    }
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException(FSExceptionMessages.STREAM_IS_CLOSED);
    }
  }

  @Override
  public synchronized void write(int value) throws IOException {
    single[0] = (byte) value;
    write(single, 0, 1);
  }

  @Override
  public synchronized void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    Objects.checkFromIndexSize(offset, lengthBytes, bytes.length);
    checkOpen();
    writer.write(bytes, offset, lengthBytes);
  }

  @Override
  public synchronized void flush() throws IOException {
    checkOpen();
    writer.publish();
  }

  @Override
  public void hflush() throws IOException {
    flush();
  }

  @Override
  public void hsync() throws IOException {
    flush(); // nothing here is safer than memory
  }

  @Override
  public boolean hasCapability(String capability) {
    return StoreImplementationUtils.isProbeForSyncable(capability)
        || capability.equals(IOSTATISTICS);
  }

  @Override
  public IOStatistics getIOStatistics() {
    return IOStatisticsBinding.dynamicIOStatistics()
        .withLongFunctionCounter(StreamStatisticNames.STREAM_WRITE_BYTES, name -> writtenBytes())
        .build();
  }

  private synchronized long writtenBytes() {
    return writer.positionBytes() - startBytes;
  }

  @Override
  public synchronized void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      end.close();
    } finally {
      forgotten.clean();
    }
  }
}
