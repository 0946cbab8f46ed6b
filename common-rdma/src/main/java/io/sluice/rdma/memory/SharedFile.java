package io.sluice.rdma.memory;

import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;

/**
 * An open file that threads share, read and written by position.
 *
 * <p>It exists because a {@link FileChannel} closes itself for all threads when one with its
 * interrupt flag set uses it, and Spark kills tasks by interrupts. The calls of {@link
 * RandomAccessFile} ignore interrupts, and the flag stays set. Unlike {@link NativeFile} it needs
 * no native code, which takes a tenth of a second to load.
 *
 * <p>For thousands of rarely used files, {@link #openForEachCall} opens a descriptor for each call.
 *
 * <p>Thread contract: safe from any thread; reads and writes run one after another. Only {@link
 * #send} runs in parallel, see there. Ownership: the opener closes it; closing waits for a read or
 * write in progress. Failure: {@link IOException} of the file, {@link ClosedChannelException} once
 * it is closed.
 */
public final class SharedFile implements Closeable {
  /** Direct memory is copied through an array of at most this size. */
  private static final int COPY_BYTES = 64 << 10;

  private final Path path;
  private final RandomAccessFile file; // null: one for each call
  private final Object senderLock = new Object(); // a slow disk must not delay sends
  private FileChannel sender; // null until something is sent
  private volatile boolean closed;

  private SharedFile(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
  }

  /** Opens a file that exists and is no symbolic link, for reading and writing. */
  public static SharedFile open(Path path) throws IOException {
    checkRegular(path);
    return new SharedFile(path, new RandomAccessFile(path.toFile(), "rw"));
  }

  /**
   * Opens a file without keeping a descriptor: each call opens and closes it. The path must name
   * the same file all the time.
   */
  public static SharedFile openForEachCall(Path path) throws IOException {
    checkRegular(path);
    return new SharedFile(path, null);
  }

  private static void checkRegular(Path path) throws IOException {
    BasicFileAttributes
        found = // throws the file system's exception: not each failure is a missing file
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isRegularFile()) { // "rw" would create the file or follow the link
      throw new IOException(path + " is no regular file");
    }
  }

  /** A use of the open file. */
  private interface Use<T> {
    T with(RandomAccessFile open) throws IOException;
  }

  private <T> T use(Use<T> use) throws IOException {
    if (closed) {
      throw new ClosedChannelException();
    }
    if (file != null) {
      return use.with(file);
    }
    checkRegular(path);
    try (RandomAccessFile own = new RandomAccessFile(path.toFile(), "rw")) {
      return use.with(own);
    }
  }

  /** The path by which it was opened. */
  public Path path() {
    return path;
  }

  /** The length of the file now. */
  public synchronized long lengthBytes() throws IOException {
    return use(RandomAccessFile::length);
  }

  /** Reads into {@code into} up to the end of the file; returns the number of bytes. */
  public synchronized int read(long offsetBytes, ByteBuffer into) throws IOException {
    return use(open -> read(open, offsetBytes, into));
  }

  private static int read(RandomAccessFile file, long offsetBytes, ByteBuffer into)
      throws IOException {
    file.seek(offsetBytes);
    int startPosition = into.position();
    byte[] copy = into.hasArray() ? null : new byte[Math.min(COPY_BYTES, into.remaining())];
    while (into.hasRemaining()) {
      int n;
      if (copy == null) {
        n = file.read(into.array(), into.arrayOffset() + into.position(), into.remaining());
        into.position(into.position() + Math.max(0, n));
      } else {
        n = file.read(copy, 0, Math.min(copy.length, into.remaining()));
        into.put(copy, 0, Math.max(0, n));
      }
      if (n < 0) {
        break;
      }
    }
    return into.position() - startPosition;
  }

  /** Writes all that remains in {@code from}. */
  public synchronized void write(long offsetBytes, ByteBuffer from) throws IOException {
    use(
        open -> {
          write(open, offsetBytes, from);
          return null;
        });
  }

  private static void write(RandomAccessFile file, long offsetBytes, ByteBuffer from)
      throws IOException {
    file.seek(offsetBytes);
    if (from.hasArray()) {
      file.write(from.array(), from.arrayOffset() + from.position(), from.remaining());
      from.position(from.limit());
      return;
    }
    byte[] copy = new byte[Math.min(COPY_BYTES, from.remaining())];
    while (from.hasRemaining()) {
      int n = Math.min(copy.length, from.remaining());
      from.get(copy, 0, n);
      file.write(copy, 0, n);
    }
  }

  /** Truncates the file, or extends it by zeros that have no space yet. */
  public synchronized void setLength(long lengthBytes) throws IOException {
    use(
        open -> {
          open.setLength(lengthBytes);
          return null;
        });
  }

  /** Returns when all written bytes have reached the medium. */
  public synchronized void force() throws IOException {
    use(
        open -> {
          open.getFD().sync();
          return null;
        });
  }

  /**
   * Sends a range with {@code sendfile}: the bytes do not pass through this process. Returns how
   * many were sent, 0 if the file ends before the range.
   *
   * <p>Only for threads of a service, which are never interrupted. An interrupt would end the sends
   * in progress from this file. Later sends and all other calls would still work.
   */
  public long send(long offsetBytes, long lengthBytes, WritableByteChannel to) throws IOException {
    return sender().transferTo(offsetBytes, lengthBytes, to);
  }

  private FileChannel sender() throws IOException {
    synchronized (senderLock) {
      if (closed) {
        throw new ClosedChannelException();
      }
      if (sender == null || !sender.isOpen()) {
        sender = FileChannel.open(path, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
      }
      return sender;
    }
  }

  /** Closes it; idempotent. */
  @Override
  public synchronized void close() throws IOException {
    try (file) {
      synchronized (senderLock) {
        closed = true;
        if (sender != null) {
          sender.close();
        }
      }
    }
  }
}
