package io.sluice.spill.segment;

import java.io.Closeable;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Maps ranges of the store for reading in a process of the same node: a reducer in place, a map
 * task its own runs before it merges them.
 *
 * <p>It maps exactly the ranges asked for, not whole segments, because every mapped page counts
 * against the limits of a task's container. It keeps the segments of the memory tier open, so that
 * the next range of one costs one system call; a pool has few of them, and reuses them for as long
 * as it has its id. A file of the disk tier is opened each time: the store deletes it when its
 * output is freed, and kept open it would hold its space on the disk. So is every file once this is
 * closed, for runs that were found before and are read yet: nobody would close what it kept.
 *
 * <p>Thread contract: safe from any thread. One that is interrupted fails alone. Ownership: the
 * creator closes it, and makes one for each pool; mappings it gave out are independent of it.
 * Failure: {@link IOException} naming the file that is gone or too short, {@link
 * InterruptedIOException}.
 */
public final class SegmentMapper implements Closeable {
  private final Map<Integer, SegmentFile> files = new HashMap<>();
  private final SegmentOpener opener;
  private final IntFunction<SegmentInfo> segments;
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

  /** Maps the ranges; the caller closes what it gets. */
  public MappedRanges map(List<Range> ranges) throws IOException {
    return map(ranges, segments);
  }

  /** The same, where {@code segments} finds the segments. */
  public synchronized MappedRanges map(List<Range> ranges, IntFunction<SegmentInfo> segments)
      throws IOException {
    MappedRanges mapped = new MappedRanges();
    try {
      for (Range range : ranges) {
        SegmentInfo info = segments.apply(range.segmentId());
        if (info == null) {
          throw new IOException("no segment " + range.segmentId() + " is known, wanted " + range);
        }
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
      InterruptedIOException interrupted = new InterruptedIOException("interrupted while mapping");
      interrupted.initCause(e);
      throw interrupted;
    } catch (IOException | RuntimeException | Error e) {
      mapped.close();
      throw e;
    }
  }

  private static void map(SegmentFile file, Range range, MappedRanges into) throws IOException {
    if (range.endBytes() > file.lengthBytes()) {
      throw new IOException(
          range + " ends behind the " + file.lengthBytes() + " bytes of " + file.info());
    }
    into.add(file, range);
  }

  /** The open file of a segment: of no other incarnation, and none that an interrupt closed. */
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
  public synchronized void close() throws IOException {
    closed = true;
    IOException failure = null;
    for (SegmentFile file : files.values()) {
      try {
        file.close();
      } catch (IOException e) {
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
      }
    }
    files.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
