package io.sluice.spill.segment;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.StandardOpenOption;
import java.util.Set;

/**
 * A segment opened for reading or mapping, whatever kind of file or device it lies in.
 *
 * <p>Thread contract: one thread at a time, except reads, which run side by side. Ownership: the
 * opener closes it, after the last read; its mappings outlive it. Failure: {@link IOException}
 * naming the file that is gone.
 */
public final class SegmentFile implements Closeable {
  /** A multiple of every kernel's page size; untouched pages of a mapping cost nothing. */
  private static final int HANDED_OVER_UNIT_BYTES = 64 << 10;

  /** Length of one read: the JDK keeps as much outside the heap for each thread. */
  private static final int READ_BYTES = 64 << 10;

  private final SegmentInfo info;
  private final FileChannel channel; // null where the JDK cannot map
  private final NativeFile nativeFile; // null where it can
  private final Mapping whole; // of a segment that needs no file; null of others
  private final boolean writable;

  private SegmentFile(
      SegmentInfo info,
      FileChannel channel,
      NativeFile nativeFile,
      Mapping whole,
      boolean writable) {
    this.info = info;
    this.whole = whole;
    this.channel = channel;
    this.nativeFile = nativeFile;
    this.writable = writable;
  }

  /** Opens by name for reading, and for writing too if {@code writable}. */
  public static SegmentFile open(SegmentInfo info, boolean writable) throws IOException {
    if (info.mapUnitBytes() != SegmentInfo.MAPPED_BY_JDK) {
      return new SegmentFile(
          info, null, NativeFile.open(info.path(), info.mapUnitBytes(), writable), null, writable);
    }
    Set<OpenOption> options =
        writable
            ? Set.of(StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS)
            : Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
    return new SegmentFile(info, FileChannel.open(info.path(), options), null, null, writable);
  }

  /**
   * A segment that this process has mapped, whatever has become of the file's name. Its mappings
   * are parts of that mapping, and must not be used after it is closed.
   */
  public static SegmentFile inProcess(SegmentInfo info, Mapping whole) {
    return new SegmentFile(info, null, null, whole, true);
  }

  /**
   * Takes over a descriptor that the pool's service has opened, and closes it.
   *
   * @param writable whether it may be written to; false holds even if the descriptor is writable
   */
  public static SegmentFile handedOver(SegmentInfo info, Descriptor descriptor, boolean writable) {
    int unitBytes = Math.max(info.mapUnitBytes(), HANDED_OVER_UNIT_BYTES);
    NativeFile file = NativeFile.of(descriptor, info.path(), unitBytes, writable);
    return new SegmentFile(info, null, file, null, writable);
  }

  /** The segment. */
  public SegmentInfo info() {
    return info;
  }

  /** Whether it can still be mapped: a thread that is interrupted while it maps closes it. */
  public boolean isOpen() {
    return channel == null || channel.isOpen();
  }

  /** Actual length of the segment. */
  public long lengthBytes() throws IOException {
    if (whole != null) {
      return whole.buffer().capacity();
    }
    if (channel != null) {
      return channel.size() - info.fileOffsetBytes();
    }
    return info.mapUnitBytes() == SegmentInfo.MAPPED_BY_JDK
        ? nativeFile.lengthBytes() - info.fileOffsetBytes()
        : info.lengthBytes();
  }

  /**
   * Fills {@code into} from the segment as far as its file goes, and returns the number of bytes.
   * If the file was cut, a read ends early; an access to a mapping would end the process. Huge
   * pages and devices, which are never cut, are mapped for the read.
   */
  public int read(long offsetBytes, ByteBuffer into) throws IOException {
    if (whole != null || info.mapUnitBytes() != SegmentInfo.MAPPED_BY_JDK) {
      return copyMapped(offsetBytes, into);
    }
    long fileOffsetBytes = info.fileOffsetBytes() + offsetBytes;
    return channel == null
        ? nativeFile.read(fileOffsetBytes, into)
        : readChannel(fileOffsetBytes, into);
  }

  private int copyMapped(long offsetBytes, ByteBuffer into) throws IOException {
    int n = (int) Math.max(0, Math.min(into.remaining(), lengthBytes() - offsetBytes));
    if (n > 0) {
      try (Mapping mapping = map(FileChannel.MapMode.READ_ONLY, offsetBytes, n)) {
        into.put(mapping.buffer());
      }
    }
    return n;
  }

  private int readChannel(long fileOffsetBytes, ByteBuffer into) throws IOException {
    int limit = into.limit();
    int done = 0;
    try {
      while (into.position() < limit) {
        into.limit(Math.min(limit, into.position() + READ_BYTES));
        int n = channel.read(into, fileOffsetBytes + done);
        if (n < 0) {
          break;
        }
        done += n;
      }
      return done;
    } finally {
      into.limit(limit);
    }
  }

  /**
   * Maps a range of the segment. If the JDK cannot map it, a segment that is open for writing is
   * mapped for writing, whatever {@code mode} says.
   */
  public Mapping map(FileChannel.MapMode mode, long offsetBytes, int lengthBytes)
      throws IOException {
    if (whole != null) {
      return whole.part(Math.toIntExact(offsetBytes), lengthBytes);
    }
    if (channel == null && !writable && mode == FileChannel.MapMode.READ_WRITE) {
      throw new IOException(info + " is open for reading alone");
    }
    long fileOffsetBytes = info.fileOffsetBytes() + offsetBytes;
    return channel == null
        ? nativeFile.map(fileOffsetBytes, lengthBytes)
        : Mapping.ofFile(channel, mode, fileOffsetBytes, lengthBytes);
  }

  @Override
  public void close() throws IOException {
    Closer.all(channel, nativeFile);
  }

  /**
   * Opens the files of segments that a process was told of: by their names, or as descriptors from
   * the service that may open them. The contract:
   *
   * <ul>
   *   <li>It opens that very segment in that incarnation; if the segment is gone or was replaced,
   *       opening fails.
   *   <li>A file that was opened for reading cannot be written to.
   *   <li>Open files outlive the opener; the caller closes them.
   *   <li>Every call returns or throws within the deadline of the implementation.
   *   <li>Safe from any thread.
   * </ul>
   */
  public interface SegmentOpener {
    /** By name, as the user of the pool can; nothing is kept. */
    SegmentOpener BY_NAME = SegmentFile::open;

    /** Opens for reading, and for writing too if {@code writable}. */
    SegmentFile open(SegmentInfo segment, boolean writable) throws IOException;
  }
}
