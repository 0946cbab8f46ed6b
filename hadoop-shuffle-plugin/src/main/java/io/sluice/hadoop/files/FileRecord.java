package io.sluice.hadoop.files;

import io.sluice.node.wire.Bounded;
import io.sluice.rdma.threads.DaemonThreads;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.security.PrivilegedAction;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSExceptionMessages;
import org.apache.hadoop.fs.FSInputStream;
import org.apache.hadoop.fs.FileStatus;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.security.UserGroupInformation;

/**
 * The file in the root that has the name of a file of the cluster.
 *
 * <pre>
 * "SLF" | '1', the format | int8 0 | the bytes of the file
 *
 * "SLF" | '1', the format | int8 1 | string host | int32 port | string application | string name |
 *                                    int64 block bytes | int32 run bytes | int8 1 if it is copied |
 *                                    int64 length | "END1"
 *                                    only these two say that the file is whole
 * </pre>
 *
 * @param isWhole whether its writer has closed it, as far as the record says
 * @param pooled where its bytes are, if not in the record
 * @param lengthBytes of the file; computed from the record's length if the bytes lie in the record
 */
record FileRecord(boolean isWhole, Optional<PooledFile> pooled, long lengthBytes) {
  /** Length of the head, before the bytes of a file that lies in its record. */
  static final int HEAD_BYTES = 5;

  private static final int MAGIC = 0x534c46; // "SLF"
  private static final char FORMAT = '1';
  private static final int HEAD = MAGIC << Byte.SIZE | FORMAT;
  private static final int END = 0x454e4431; // "END1"
  private static final int INLINE = 0;
  private static final int POOLED = 1;

  /** Writes the head of a record that the file's bytes follow. */
  static void writeInlineHead(DataOutputStream out) throws IOException {
    out.writeInt(HEAD);
    out.writeByte(INLINE);
  }

  /** Writes the head of the record of a file in a pool; a deletion finds the outputs by it. */
  static void writeHead(DataOutputStream out, PooledFile file) throws IOException {
    out.writeInt(HEAD);
    out.writeByte(POOLED);
    Bounded.writeString(out, file.host());
    out.writeInt(file.controlPort());
    Bounded.writeString(out, file.applicationId());
    Bounded.writeString(out, file.name());
    out.writeLong(file.blockBytes());
    out.writeInt(file.runBytes());
    out.writeBoolean(file.copied());
  }

  /** Writes the end of the record of a file in a pool. */
  static void writeEnd(DataOutputStream out, long lengthBytes) throws IOException {
    out.writeLong(lengthBytes);
    out.writeInt(END);
  }

  /**
   * Reads a record, up to the bytes of a file that lies in it.
   *
   * @param recordBytes length of the record
   * @throws IOException if it is no record, or one of another release
   */
  static FileRecord read(DataInputStream in, long recordBytes) throws IOException {
    int kind;
    try {
      int head = in.readInt();
      kind = in.readUnsignedByte();
      char format = (char) (head & 0xff);
      if (head != HEAD && head >>> Byte.SIZE == MAGIC && Character.isDigit(format)) {
        throw new IOException(
            "this file of sluice://cluster/ is of another release of Sluice: it has format %s, this release %s"
                .formatted(format, FORMAT));
      }
      if (head != HEAD || kind > POOLED) {
        throw new IOException(
            "this is no file of sluice://cluster/: it begins with %08x and %s"
                .formatted(head, kind));
      }
    } catch (EOFException e) {
      return new FileRecord(false, Optional.empty(), 0); // nothing was written yet
    }
    return kind == INLINE
        ? new FileRecord(true, Optional.empty(), Math.max(0, recordBytes - HEAD_BYTES))
        : readPooled(in);
  }

  private static FileRecord readPooled(DataInputStream in) throws IOException {
    PooledFile file;
    try {
      file =
          new PooledFile(
              Bounded.readString(in),
              in.readInt(),
              Bounded.readString(in),
              Bounded.readString(in),
              in.readLong(),
              in.readInt(),
              in.readBoolean());
    } catch (EOFException e) {
      return new FileRecord(
          false, Optional.empty(), 0); // no bytes are written before the head is whole
    } catch (IllegalArgumentException e) {
      throw new IOException("this is no file of sluice://cluster/: " + e.getMessage(), e);
    }
    try {
      long lengthBytes = in.readLong();
      int end = in.readInt();
      if (lengthBytes < 0 || end != END) {
        throw new IOException(
            "the record of a file ends with length %s and %08x".formatted(lengthBytes, end));
      }
      return new FileRecord(true, Optional.of(file), lengthBytes);
    } catch (EOFException e) {
      return new FileRecord(false, Optional.of(file), 0);
    }
  }

  /**
   * Reads a file that lies in its record.
   *
   * <p>Thread contract: positioned reads from any thread, everything else from one. Ownership: owns
   * the record's stream. Failure: that of the root's file system.
   */
  static final class InlineInputStream extends FSInputStream {
    private static final int HEAD_BYTES = FileRecord.HEAD_BYTES;

    private final FSDataInputStream record;
    private final LongConsumer counter;

    /** Reads on behind the head of a record. */
    InlineInputStream(FSDataInputStream record, LongConsumer counter) {
      this.record = record;
      this.counter = counter;
    }

    private int counted(int bytes) {
      counter.accept(Math.max(0, bytes));
      return bytes;
    }

    @Override
    public int read() throws IOException {
      int value = record.read();
      counted(value < 0 ? 0 : 1);
      return value;
    }

    @Override
    public int read(byte[] destination, int offset, int length) throws IOException {
      return counted(record.read(destination, offset, length));
    }

    @Override
    public int read(long fromBytes, byte[] destination, int offset, int length) throws IOException {
      validatePositionedReadArgs(fromBytes, destination, offset, length);
      return counted(record.read(HEAD_BYTES + fromBytes, destination, offset, length));
    }

    @Override
    public void seek(long targetBytes) throws IOException {
      if (targetBytes < 0) {
        throw new EOFException(FSExceptionMessages.NEGATIVE_SEEK + ": " + targetBytes);
      }
      record.seek(HEAD_BYTES + targetBytes);
    }

    @Override
    public long skip(long wantedBytes) throws IOException {
      return record.skip(wantedBytes);
    }

    @Override
    public long getPos() throws IOException {
      return record.getPos() - HEAD_BYTES;
    }

    @Override
    public boolean seekToNewSource(long targetBytes) throws IOException {
      return record.seekToNewSource(HEAD_BYTES + targetBytes);
    }

    @Override
    public int available() throws IOException {
      return record.available();
    }

    @Override
    public void close() throws IOException {
      record.close();
    }
  }

  /**
   * Reads the records of files, and those of a directory in parallel: each takes a few round trips
   * to the name server and the data servers, however short it is.
   *
   * <p>Thread contract: safe from any thread. Ownership: closing it ends its threads. They also end
   * when nothing was read for a while. After the end, callers read by themselves. Failure: that of
   * the root's file system, after the deadlines of that one.
   */
  static final class RecordReader implements Closeable {
    /** Records that are read at once; a DataNode and a NameNode have more handlers. */
    static final int THREADS = 8;

    private static final long IDLE_S = 5;

    private final FileSystem base;
    private final ExecutorService threads;

    /** Reads records of {@code base} as {@code user}. */
    RecordReader(FileSystem base, UserGroupInformation user) {
      this.base = base;
      ThreadPoolExecutor pool =
          new ThreadPoolExecutor(
              THREADS,
              THREADS,
              IDLE_S,
              TimeUnit.SECONDS,
              new LinkedBlockingQueue<>(),
              work -> thread(user, work),
              (work, closed) -> work.run()); // by the caller, as there are no threads any more
      pool.allowCoreThreadTimeOut(true);
      this.threads = pool;
    }

    /** The thread finds the classes that the root's file system finds. */
    private Thread thread(UserGroupInformation user, Runnable work) {
      Thread thread = DaemonThreads.create("sluice-file-records", () -> as(user, work));
      thread.setContextClassLoader(base.getConf().getClassLoader());
      return thread;
    }

    private static void as(UserGroupInformation user, Runnable work) {
      user.doAs(
          (PrivilegedAction<Void>)
              () -> {
                work.run();
                return null;
              });
    }

    /** Reads the record of one file. */
    FileRecord read(FileStatus file) throws IOException {
      try (FSDataInputStream in = base.open(file.getPath())) {
        return FileRecord.read(in, file.getLen());
      }
    }

    /**
     * Reads the records of many files, in their order.
     *
     * @return empty for a file that was deleted meanwhile
     */
    List<Optional<FileRecord>> read(List<FileStatus> files) throws IOException {
      List<Future<Optional<FileRecord>>> begun = new ArrayList<>();
      for (FileStatus file : files.subList(Math.min(1, files.size()), files.size())) {
        begun.add(threads.submit(() -> readIfThere(file)));
      }
      List<Optional<FileRecord>> records = new ArrayList<>(files.size());
      try {
        if (!files.isEmpty()) {
          records.add(readIfThere(files.get(0))); // one alone needs no thread
        }
        for (Future<Optional<FileRecord>> each : begun) {
          records.add(each.get());
        }
      } catch (ExecutionException e) {
        throw failed(e.getCause());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted while records of files were read");
      } finally {
        begun.forEach(each -> each.cancel(false));
      }
      return records;
    }

    private Optional<FileRecord> readIfThere(FileStatus file) throws IOException {
      try {
        return Optional.of(read(file));
      } catch (FileNotFoundException e) {
        return Optional.empty();
      }
    }

    private static IOException failed(Throwable cause) {
      return cause instanceof IOException
          ? (IOException) cause
          : new IOException("the record of a file cannot be read: " + cause, cause);
    }

    @Override
    public void close() {
      threads.shutdown();
    }
  }
}
