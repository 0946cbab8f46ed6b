package io.sluice.spill.segment;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.IntFunction;

/**
 * Reads and maps ranges of the store in a process of the same node. Committed outputs of others are
 * read, not mapped. The service may cut their segment at any time, when an output was moved and the
 * segment goes to another user. An access to a mapping of a cut file kills the process. Extents
 * that this process has leased, or that nobody can cut, may be mapped: a map task does so with its
 * own runs before it merges them.
 *
 * <p>It maps exactly the requested ranges, not whole segments, because every mapped page counts
 * against the limits of a task's container. It keeps the segments of the memory tier open, so that
 * the next range of one costs one system call; a pool has few of them, and reuses them for as long
 * as it has its id. A file of the disk tier is opened each time: the store deletes it when its
 * output is freed, and an open file would hold its space on the disk. After {@link #close} every
 * file is opened each time, for runs that are still read: nobody would close a file that was kept.
 *
 * <p>Thread contract: safe from any thread; reads run side by side. An interrupt fails one read
 * alone. Ownership: the creator closes it, and makes one for each pool; mappings are independent of
 * it. Failure: {@link IOException} naming the file that is gone or too short, {@link
 * InterruptedIOException}.
 */
public final class SegmentMapper implements Closeable {
  private final Map<Integer, SegmentFile> files = new HashMap<>();
  private final SegmentOpener opener;
  private final IntFunction<SegmentInfo> segments;
  private final ReadWriteLock lock = new ReentrantReadWriteLock(); // reads use the open files
  private boolean closed;

  /**
   * Creates a mapper with no file open.
   *
   * @param opener opens the files
   * @param segments finds a segment by its id; null for an unknown one
   */
  public SegmentMapper(SegmentOpener opener, IntFunction<SegmentInfo> segments) {
    this.opener = opener;
    this.segments = segments;
  }

  /** Maps the ranges; the caller closes the result. */
  public MappedRanges map(List<Range> ranges) throws IOException {
    return map(ranges, segments);
  }

  /** The same, where {@code segments} finds the segments. */
  public MappedRanges map(List<Range> ranges, IntFunction<SegmentInfo> segments)
      throws IOException {
    MappedRanges mapped = new MappedRanges();
    lock.writeLock().lock();
    try {
      for (Range range : ranges) {
        SegmentInfo info = known(range, segments);
        if (info.tier() == Tier.MEMORY && !closed) {
          map(kept(info), range, mapped);
        } else {
          try (SegmentFile file = opener.open(info, false)) {
            map(file, range, mapped);
          }
        }
      }
      return mapped;
    } catch (ClosedByInterruptException e) {
      mapped.close();
      throw interrupted("mapping", e);
    } catch (IOException | RuntimeException | Error e) {
      mapped.close();
      throw e;
    } finally {
      lock.writeLock().unlock();
    }
  }

  /**
   * Fills {@code into} from the start of a range.
   *
   * @throws EOFException if the segment was cut before its end
   */
  public void read(Range range, IntFunction<SegmentInfo> segments, ByteBuffer into)
      throws IOException {
    SegmentInfo info = known(range, segments);
    try {
      if (readKept(info, range, into)) {
        return;
      }
      SegmentFile opened = opener.open(info, false);
      try {
        fill(opened, range, into);
      } catch (IOException | RuntimeException | Error e) {
        Closer.after(e, opened);
        throw e;
      }
      keepOrClose(opened);
    } catch (ClosedByInterruptException e) {
      throw interrupted("reading", e);
    }
  }

  /** Reads from an open file; false if there is none, or an interrupt has closed it meanwhile. */
  private boolean readKept(SegmentInfo info, Range range, ByteBuffer into) throws IOException {
    int start = into.position();
    lock.readLock().lock();
    try {
      SegmentFile file = files.get(info.segmentId());
      if (file == null || !file.isOpen() || !file.info().equals(info)) {
        return false;
      }
      fill(file, range, into);
      return true;
    } catch (ClosedByInterruptException e) {
      throw e;
    } catch (ClosedChannelException e) {
      into.position(start);
      return false;
    } finally {
      lock.readLock().unlock();
    }
  }

  private static void fill(SegmentFile file, Range range, ByteBuffer into) throws IOException {
    int n = file.read(range.offsetBytes(), into);
    if (into.hasRemaining()) {
      throw new EOFException(range + " was cut: only " + n + " bytes of it are in " + file.info());
    }
  }

  private void keepOrClose(SegmentFile opened) throws IOException {
    SegmentFile useless = opened;
    lock.writeLock().lock();
    try {
      if (opened.info().tier() == Tier.MEMORY && !closed) {
        useless = files.put(opened.info().segmentId(), opened);
      }
    } finally {
      lock.writeLock().unlock();
    }
    Closer.all(useless);
  }

  private static SegmentInfo known(Range range, IntFunction<SegmentInfo> segments)
      throws IOException {
    SegmentInfo info = segments.apply(range.segmentId());
    if (info == null) {
      throw new IOException("no segment " + range.segmentId() + " is known, wanted " + range);
    }
    return info;
  }

  private static InterruptedIOException interrupted(
      String doing, ClosedByInterruptException cause) {
    InterruptedIOException interrupted = new InterruptedIOException("interrupted while " + doing);
    interrupted.initCause(cause);
    return interrupted;
  }

  private static void map(SegmentFile file, Range range, MappedRanges into) throws IOException {
    if (range.endBytes() > file.lengthBytes()) {
      throw new IOException(
          range + " ends behind the " + file.lengthBytes() + " bytes of " + file.info());
    }
    into.add(file, range);
  }

  /** The open file of this very incarnation, opened again if an interrupt has closed it. */
  private SegmentFile kept(SegmentInfo info) throws IOException {
    SegmentFile file = files.get(info.segmentId());
    if (file != null && file.isOpen() && file.info().equals(info)) {
      return file;
    }
    if (file != null) {
      files.remove(info.segmentId()).close();
    }
    file = opener.open(info, false);
    files.put(info.segmentId(), file);
    return file;
  }

  /** Closes the files and keeps none from now on; mappings given out stay valid. */
  @Override
  public void close() throws IOException {
    lock.writeLock().lock();
    try {
      closed = true;
      Closer.all(files.values());
    } finally {
      files.clear();
      lock.writeLock().unlock();
    }
  }

  /**
   * Read-only views of some ranges of the store, usually those of one run.
   *
   * <p>Thread contract: one thread at a time. Ownership: the caller of {@link SegmentMapper} closes
   * it, after the last access through its buffers; an access after that crashes the JVM.
   */
  public static final class MappedRanges implements Closeable {
    private final List<Mapping> mappings = new ArrayList<>();

    MappedRanges() {}

    /** The bytes, in order; each buffer holds one range, positions are the caller's to move. */
    public List<ByteBuffer> buffers() {
      return mappings.stream().map(Mapping::buffer).toList();
    }

    void add(SegmentFile file, Range range) throws IOException {
      long endBytes = range.endBytes();
      for (long offsetBytes = range.offsetBytes(); offsetBytes < endBytes; ) {
        int lengthBytes = (int) Math.min(endBytes - offsetBytes, Extent.MAX_LENGTH_BYTES);
        mappings.add(file.map(FileChannel.MapMode.READ_ONLY, offsetBytes, lengthBytes));
        offsetBytes += lengthBytes;
      }
    }

    /** Removes the mappings; idempotent. */
    @Override
    public void close() {
      mappings.forEach(Mapping::close);
      mappings.clear();
    }
  }
}
