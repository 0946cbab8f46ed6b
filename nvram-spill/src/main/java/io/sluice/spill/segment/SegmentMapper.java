package io.sluice.spill.segment;

import java.io.Closeable;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;

/**
 * Maps ranges of the store for reading in a process of the same node: a reducer in place, a map
 * task its own runs before it merges them.
 *
 * <p>It maps exactly the ranges asked for, not whole segments, because every mapped page counts
 * against the limits of a task's container; it keeps the files open, so that the next range of a
 * segment costs one system call.
 *
 * <p>Thread contract: safe from any thread. Ownership: the creator closes it; mappings it gave out
 * are independent of it. Failure: {@link IOException} naming the file that is gone or too short.
 */
public final class SegmentMapper implements Closeable {
  private final IntFunction<SegmentInfo> segments;
  private final Map<Integer, SegmentFile> files = new HashMap<>();

  /**
   * Creates a mapper with no file open.
   *
   * @param segments finds a segment by its id; null for an unknown one
   */
  public SegmentMapper(IntFunction<SegmentInfo> segments) {
    this.segments = segments;
  }

  /** Maps the ranges; the caller closes what it gets. */
  public synchronized MappedRanges map(List<Range> ranges) throws IOException {
    MappedRanges mapped = new MappedRanges();
    try {
      for (Range range : ranges) {
        mapped.add(file(range), range);
      }
      return mapped;
    } catch (IOException | RuntimeException | Error e) {
      mapped.close();
      throw e;
    }
  }

  private SegmentFile file(Range range) throws IOException {
    SegmentFile file = files.get(range.segmentId());
    if (file == null) {
      SegmentInfo info = segments.apply(range.segmentId());
      if (info == null) {
        throw new IOException("no segment " + range.segmentId() + " is known, wanted " + range);
      }
      file = SegmentFile.open(info, false);
      files.put(range.segmentId(), file);
    }
    if (range.endBytes() > file.lengthBytes()) {
      throw new IOException(
          range
              + " ends behind the "
              + file.lengthBytes()
              + " bytes of "
              + segments.apply(range.segmentId()));
    }
    return file;
  }

  /** Closes the files; mappings given out stay valid. */
  @Override
  public synchronized void close() throws IOException {
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
