package io.sluice.spill.disk;

import com.sun.nio.file.ExtendedOpenOption;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * A file of the disk tier, read and written past the page cache. Only so does a write free memory:
 * a buffered write moves bytes into dirty pages of the same memory.
 *
 * <p>Addresses, lengths and positions are multiples of {@link BufferSet#ALIGNMENT_BYTES}. If the
 * file system has no direct I/O, or not in such blocks, each write is forced instead.
 *
 * <p>Thread contract: safe from any thread that nobody interrupts: the workers of a {@link
 * DeviceQueue}. Its opener closes it when no request for it is open. Failure: {@link IOException}
 * of the system, or {@link EOFException} if the file is shorter than the requested range.
 */
public final class DirectFile implements AutoCloseable {
  private final Path path;
  private final FileChannel channel;
  private final boolean direct;

  private DirectFile(Path path, FileChannel channel, boolean direct) {
    this.path = path;
    this.channel = channel;
    this.direct = direct;
  }

  /**
   * Opens an existing file.
   *
   * @param tried whether its file system may have direct I/O; else it is not tried
   */
  public static DirectFile open(Path path, boolean tried) throws IOException {
    if (!tried) {
      return new DirectFile(
          path, FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE), false);
    }
    try {
      return new DirectFile(
          path,
          FileChannel.open(
              path, StandardOpenOption.READ, StandardOpenOption.WRITE, ExtendedOpenOption.DIRECT),
          true);
    } catch (FileSystemException | UnsupportedOperationException e) {
      // Opening without direct I/O shows any other failure.
      return new DirectFile(
          path, FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE), false);
    }
  }

  /** Direct I/O is in blocks of the file system, which may be large: NFS says 1 MiB. */
  static boolean takesAlignment(long blockBytes) {
    return BufferSet.ALIGNMENT_BYTES % blockBytes == 0;
  }

  /** Whether reads and writes bypass the page cache. */
  public boolean isDirect() {
    return direct;
  }

  /** Writes all that remains of a buffer. */
  public void write(ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      at += channel.write(bytes, at);
    }
    if (!direct) {
      channel.force(false);
    }
  }

  /** Fills the rest of a buffer. */
  public void read(ByteBuffer bytes, long position) throws IOException {
    long at = position;
    while (bytes.hasRemaining()) {
      int read = channel.read(bytes, at);
      if (read < 0) {
        throw new EOFException(
            "%s ends at %s, expected %s more bytes from there"
                .formatted(path, at, bytes.remaining()));
      }
      at += read;
    }
  }

  /** Makes all written bytes safe on the device's medium, not only in its cache. */
  public void force() throws IOException {
    channel.force(false);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
