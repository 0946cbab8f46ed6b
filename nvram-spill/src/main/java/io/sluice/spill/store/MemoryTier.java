package io.sluice.spill.store;

import io.sluice.rdma.memory.Closing;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The segments of the pool directory and which of their blocks are free. Unlike the {@link
 * DiskTier} its files are never deleted, only reused.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it.
 */
final class MemoryTier {
  private final SortedMap<Integer, SegmentHandle> segments = new TreeMap<>();
  private final BlockSet free;
  private final LeaseMarks leaseMarks;

  MemoryTier(int blockBytes, LeaseMarks leaseMarks) {
    this.leaseMarks = leaseMarks;
    this.free = new BlockSet(blockBytes);
  }

  /** Adds a segment none of whose blocks are free yet. */
  void add(SegmentHandle segment) {
    segments.put(segment.info().segmentId(), segment);
  }

  /**
   * Adds a new segment, whose marks say already that its blocks are free: so they have their space,
   * and granting a block meets no full file system.
   */
  void addFree(SegmentHandle segment) {
    add(segment);
    free.add(segment.range());
  }

  Collection<SegmentHandle> segments() {
    return Collections.unmodifiableCollection(segments.values());
  }

  SegmentHandle segment(int segmentId) {
    return segments.get(segmentId);
  }

  void free(Range range) throws IOException {
    try {
      leaseMarks.freed(range);
    } finally {
      free.add(range); // a mark that stays costs room after the next restart, and nothing else
    }
  }

  /** The parts of {@code range} that no former store had granted. */
  List<Range> neverGranted(Range range) throws IOException {
    return leaseMarks.notGranted(range);
  }

  boolean hasRoom(long lengthBytes, boolean contiguous) {
    return contiguous ? free.bestFit(lengthBytes).isPresent() : free.bytes() >= lengthBytes;
  }

  /**
   * Takes as much as there is of {@code lengthBytes}, in as few pieces as can be; all or nothing if
   * it must be contiguous. Failure: that of a mark; nothing is taken then.
   */
  List<Extent> take(long lengthBytes, boolean contiguous) throws IOException {
    List<Extent> taken = new ArrayList<>();
    try {
      for (long leftBytes = lengthBytes; leftBytes > 0; ) {
        Optional<Range> piece = free.bestFit(leftBytes);
        if (piece.isEmpty() && !contiguous) {
          piece = free.longest();
        }
        if (piece.isEmpty()) {
          break;
        }
        Extent extent = segments.get(piece.get().segmentId()).extent(piece.get());
        leaseMarks.granted(piece.get());
        taken.add(extent);
        free.remove(piece.get());
        leftBytes -= piece.get().lengthBytes();
      }
      return taken;
    } catch (IOException | RuntimeException | Error e) {
      giveBackAfter(e, taken);
      throw e;
    }
  }

  /** Frees what was just taken, all of it whatever fails, and empties the list. */
  void giveBack(List<Extent> taken) throws IOException {
    Cleanup cleanup = new Cleanup();
    taken.forEach(extent -> cleanup.run(() -> free(extent.range())));
    taken.clear();
    cleanup.finish();
  }

  /** The same after a failure, which is what the caller is told. */
  void giveBackAfter(Throwable failure, List<Extent> taken) {
    try {
      giveBack(taken);
    } catch (IOException | Error e) {
      if (e != failure) {
        failure.addSuppressed(e);
      }
    }
  }

  long freeBytes() {
    return free.bytes();
  }

  long createdBytes() {
    return segments.values().stream().mapToLong(SegmentHandle::lengthBytes).sum();
  }

  void close() throws IOException {
    Closing.all(segments.values());
    segments.clear();
  }
}
