package io.sluice.spill.store;

import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntFunction;

/**
 * Bytes of the disk tier that are leased and not written yet, by directory. File systems count them
 * as free. These are running sums: a file is looked at again only when it was written to, or
 * something of it was leased or is leased no more.
 *
 * <p>Thread contract: guarded by the lock of the store, but for {@link #wrote}, which any thread
 * may call.
 */
final class ReservedDiskBytes implements BlockSet.Changes {
  private final IntFunction<DiskSegment> segments;
  private final BlockSet leased;
  private final Set<Integer> changed = ConcurrentHashMap.newKeySet();
  private final Map<Integer, Unwritten> files = new HashMap<>(); // those that have any
  private final Map<Path, Long> directories = new HashMap<>();
  private long looks;

  /** Of one file. */
  private record Unwritten(Path directory, long bytes) {}

  /**
   * Nothing is leased.
   *
   * @param segments the files that are there, by id; null for others
   */
  ReservedDiskBytes(int blockBytes, IntFunction<DiskSegment> segments) {
    this.segments = segments;
    this.leased = new BlockSet(blockBytes);
  }

  @Override
  public void added(Range range) {
    if (SegmentInfo.tierOf(range.segmentId()) == Tier.DISK) {
      leased.add(range);
      changed.add(range.segmentId());
    }
  }

  @Override
  public void removed(Range range) {
    if (SegmentInfo.tierOf(range.segmentId()) == Tier.DISK) {
      leased.remove(range);
      changed.add(range.segmentId());
    }
  }

  /** Something of that file was written. */
  void wrote(int segmentId) {
    changed.add(segmentId);
  }

  /** The sums as they are now. */
  Map<Path, Long> byDirectory() {
    for (Iterator<Integer> each = changed.iterator(); each.hasNext(); ) {
      int segmentId = each.next();
      each.remove(); // first: what is written from here on is a further change
      look(segmentId);
    }
    return directories;
  }

  private void look(int segmentId) {
    looks++;
    Unwritten former = files.remove(segmentId);
    if (former != null) {
      directories.merge(former.directory(), -former.bytes(), Long::sum);
    }
    DiskSegment segment = segments.apply(segmentId);
    if (segment == null) {
      return;
    }
    long bytes = leased.ranges(segmentId).stream().mapToLong(segment::unwrittenBytes).sum();
    if (bytes > 0) {
      Unwritten now = new Unwritten(segment.info().path().getParent(), bytes);
      files.put(segmentId, now);
      directories.merge(now.directory(), bytes, Long::sum);
    }
  }

  /** How often a file was looked at. */
  long looks() {
    return looks;
  }
}
