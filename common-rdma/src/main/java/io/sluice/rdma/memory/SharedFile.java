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
 * <p>It exists because a {@link FileChannel} closes itself for everybody when one thread uses it
 * whose interrupt flag is set, and Spark kills tasks by interrupting them. The calls that {@link
 * RandomAccessFile} is made of know nothing of interrupts: they end as if there were none, and the
 * flag stays set. Unlike {@link NativeFile} it needs no native code, which a short-lived process
 * takes a tenth of a second to load.
 *
 * <p>Of files by the thousand that are rarely used, each call has a descriptor of its own: see
 * {@link #openForEachCall}.
 *
 * <p>Thread contract: safe from any thread; reads and writes go one after the other. {@link #send}
 * alone runs side by side, see there. Ownership: the opener closes it, which waits for a read or a
 * write under way. Failure: {@link IOException} of the file, {@link ClosedChannelException} once it
 * is closed.
 */
public final class SharedFile implements Closeable {
  /** Direct memory is copied through an array of at most this size. */
  private static final int COPY_BYTES = 64 << 10;

  private final Path path;
  private final RandomAccessFile file; // null: one for each call
  private final Object senderLock = new Object(); // a slow disk must not hold up what is sent
  private FileChannel sender; // null until something is sent
  private volatile boolean closed;

  private SharedFile(Path path, RandomAccessFile file) {
    this.path = path;
    this.file = file;
  }

  /** Opens what exists, and is no symbolic link, for reading and writing. */
  public static SharedFile open(Path path) throws IOException {
    checkRegular(path);
    return new SharedFile(path, new RandomAccessFile(path.toFile(), "rw"));
  }

  /**
   * The same without a descriptor that stays: each call opens the file and closes it again, under a
   * name that means no other file meanwhile.
   */
  public static SharedFile openForEachCall(Path path) throws IOException {
    checkRegular(path);
    return new SharedFile(path, null);
  }

  private static void checkRegular(Path path) throws IOException {
    BasicFileAttributes found = // fails as the file system does: not each failure is a missing file
        Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    if (!found.isRegularFile()) { // "rw" would create or follow it
      throw new IOException(path + " is no regular file");
    }
  }

  /** What is done with an open file. */
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

  /** Where it was opened. */
  public Path path() {
    return path;
  }

  /** How long it is now. */
  public synchronized long lengthBytes() throws IOException {
    return use(RandomAccessFile::length);
  }

  /** Fills {@code into} as far as the file goes; returns how many bytes that were. */
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

  /** Cuts it, or makes it longer by what reads as zeros and has no space yet. */
  public synchronized void setLength(long lengthBytes) throws IOException {
    use(
        open -> {
          open.setLength(lengthBytes);
          return null;
        });
  }

  /** Returns when what was written has reached the medium. */
  public synchronized void force() throws IOException {
    use(
        open -> {
          open.getFD().sync();
          return null;
        });
  }

  /**
   * Sends a range with {@code sendfile}: its bytes do not pass through this process. Returns how
   * many were sent, 0 if the file ends before.
   *
   * <p>For threads of a service, which nobody interrupts: this one call is as interruptible as the
   * JDK makes it. An interrupt would end the sends that are under way from this file; later ones,
   * and everything else that is done with it, would not notice.
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
