package io.sluice.memory.fs.stream;

import io.sluice.memory.fs.space.ContentWriter;
import io.sluice.memory.fs.tree.OpenFile;
import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.WeakHashMap;
import java.util.function.Predicate;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.StreamCapabilities;
import org.apache.hadoop.fs.Syncable;
import org.apache.hadoop.fs.impl.StoreImplementationUtils;
import org.apache.hadoop.fs.statistics.IOStatistics;
import org.apache.hadoop.fs.statistics.IOStatisticsSource;
import org.apache.hadoop.fs.statistics.StreamStatisticNames;
import org.apache.hadoop.fs.statistics.impl.IOStatisticsBinding;
import org.apache.hadoop.security.UserGroupInformation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends to a file with one copy, from the caller's memory into the store's mapping. Each kind of
 * flush makes the written bytes visible to readers.
 *
 * <p>As on HDFS, closing a file system closes its streams. Each task of this process has its own
 * user object, and the task's end closes the streams of that user.
 *
 * <p>Thread contract: safe from any thread, so another thread can close it, for example to end a
 * task. Ownership: the caller closes it; the table of open streams holds it weakly. A stream that
 * was not closed is closed when it is collected, and keeps what was written. Failure: {@link
 * IOException} if there is no room, and then the call writes nothing; {@link FileNotFoundException}
 * from {@link #close} if the file was deleted meanwhile.
 */
public final class MemoryOutputStream extends OutputStream
    implements Syncable, StreamCapabilities, IOStatisticsSource {
  private static final Logger LOG = LoggerFactory.getLogger(MemoryOutputStream.class);

  /** The streams that are not closed yet; guarded by itself. */
  private static final Map<MemoryOutputStream, Opener> OPEN = new WeakHashMap<>();

  private final ContentWriter writer;
  private final End end;
  private final Cleaner.Cleanable forgotten;
  private final long startBytes;
  private final byte[] single = new byte[1];
  private boolean closed;

  /** The cleaner's thread starts with the first stream: a task may end without one. */
  private static final class Forgotten {
    static final Cleaner CLEANER = Cleaner.create();
  }

  private record Opener(FileSystem fileSystem, UserGroupInformation user) {}

  /** Appends to the file, and closes it with this stream. */
  public MemoryOutputStream(OpenFile file) {
    this.writer = new ContentWriter(file.content());
    this.startBytes = writer.positionBytes();
    this.end = new End(file, writer);
    this.forgotten = Forgotten.CLEANER.register(this, end);
  }

  /**
   * Appends to a file, which it takes over even if it fails. The stream ends with the file system
   * or with the current user's task.
   */
  public static MemoryOutputStream open(OpenFile file, FileSystem fileSystem) throws IOException {
    try {
      MemoryOutputStream stream = new MemoryOutputStream(file);
      Opener opener = new Opener(fileSystem, UserGroupInformation.getCurrentUser());
      synchronized (OPEN) {
        OPEN.put(stream, opener);
      }
      return stream;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, file); // else it has a writer for good, and nobody may append to it
      throw e;
    }
  }

  /** Closes the streams of a file system. */
  public static void closeOf(FileSystem fileSystem) throws IOException {
    closeAll(opener -> opener.fileSystem() == fileSystem);
  }

  /** Closes the streams of a user whose task has ended. */
  public static void closeOf(UserGroupInformation user) {
    try {
      closeAll(opener -> opener.user().equals(user));
    } catch (IOException e) {
      LOG.warn("The last bytes of a file are lost, because a task did not close it", e);
    }
  }

  private static void closeAll(Predicate<Opener> which) throws IOException {
    List<Closeable> closing = new ArrayList<>();
    synchronized (OPEN) {
      OPEN.entrySet()
          .removeIf(
              each -> {
                MemoryOutputStream stream = each.getKey();
                boolean ends = stream != null && which.test(each.getValue());
                if (ends) {
                  closing.add(() -> closeUnlessDeleted(stream::close));
                }
                return ends;
              });
    }
    Closer.all(closing); // without the lock: a full disk is slow, and others open files meanwhile
  }

  private static void closeUnlessDeleted(Closeable stream) throws IOException {
    try {
      stream.close();
    } catch (FileNotFoundException e) {
      LOG.debug("A deleted file had a writer that was not closed", e);
    }
  }

  /** Closes the writer and the file once, by {@link #close} or by the collector. */
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

    /** The collector calls this for a stream that nobody can reach. */
    @Override
    public void run() {
      try {
        closeUnlessDeleted(this);
      } catch (IOException e) {
        LOG.warn("The last bytes of a file are lost, because its writer did not close it", e);
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
    flush(); // memory is the only medium here
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
