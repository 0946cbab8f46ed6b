package io.sluice.spill.store;

import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The overflow files: one per lease request, cut when its tail is given back, deleted when all of
 * it is. Unlike the {@link MemoryTier} it reuses nothing.
 *
 * <p>Thread contract: guarded by the lock of the store, which also closes it. Failure: {@link
 * IOException} of the file system.
 */
final class DiskTier {
  private final StoreConfig config;
  private final SortedMap<Integer, SegmentHandle> segments = new TreeMap<>();
  private final BlockSet used;
  private int nextSegmentId = SegmentInfo.DISK_ID_BASE;

  DiskTier(StoreConfig config) {
    this.config = config;
    this.used = new BlockSet(config.blockBytes());
  }

  /** Opens a file that a former store left; all its blocks count as used. */
  void open(Path path, int segmentId) throws IOException {
    long lengthBytes = Files.size(path) / config.blockBytes() * config.blockBytes();
    if (lengthBytes == 0) {
      Files.delete(path);
      return;
    }
    SegmentInfo info = new SegmentInfo(segmentId, Tier.DISK, path, lengthBytes);
    SegmentHandle segment = new SegmentHandle(info, SharedFile.open(path), null, config.medium());
    segments.put(segmentId, segment);
    used.add(segment.range());
    nextSegmentId = Math.max(nextSegmentId, Math.addExact(segmentId, 1));
  }

  Collection<SegmentHandle> segments() {
    return Collections.unmodifiableCollection(segments.values());
  }

  SegmentHandle segment(int segmentId) {
    return segments.get(segmentId);
  }

  /**
   * Bytes that may still be leased; {@code unwrittenBytes} are leased and perhaps not yet on disk.
   */
  long roomBytes(long unwrittenBytes) throws IOException {
    Optional<Path> directory = roomiest();
    if (directory.isEmpty()) {
      return 0;
    }
    long usableBytes =
        Files.getFileStore(directory.get()).getUsableSpace()
            - config.diskReserveBytes()
            - unwrittenBytes;
    long allowedBytes =
        config.diskCapacityBytes() == 0
            ? Long.MAX_VALUE
            : config.diskCapacityBytes() - createdBytes();
    return Math.max(0, Math.min(usableBytes, allowedBytes));
  }

  /** Creates files of {@code lengthBytes} in sum, in the directory with most room. */
  List<Extent> take(long lengthBytes) throws IOException {
    Path directory = roomiest().orElseThrow();
    List<Extent> taken = new ArrayList<>();
    try {
      for (long leftBytes = lengthBytes; leftBytes > 0; ) {
        long fileBytes = Math.min(leftBytes, Extent.MAX_LENGTH_BYTES);
        SegmentHandle segment = create(directory, fileBytes);
        taken.add(segment.extent(segment.range()));
        leftBytes -= fileBytes;
      }
      return taken;
    } catch (IOException | RuntimeException | Error e) {
      for (Extent extent : taken) {
        free(extent.range()).orElseThrow().delete();
      }
      throw e;
    }
  }

  /** Gives back blocks; returns the segment, no longer known here, if none of it is left. */
  Optional<SegmentHandle> free(Range range) throws IOException {
    used.remove(range);
    SegmentHandle segment = segments.get(range.segmentId());
    long endBytes = used.endBytesOf(range.segmentId());
    if (endBytes == 0) {
      segments.remove(range.segmentId());
      return Optional.of(segment);
    }
    if (endBytes < segment.lengthBytes()) {
      segment.truncate(endBytes);
    }
    return Optional.empty();
  }

  long createdBytes() {
    return segments.values().stream().mapToLong(SegmentHandle::lengthBytes).sum();
  }

  void close() throws IOException {
    for (SegmentHandle segment : segments.values()) {
      segment.close();
    }
    segments.clear();
  }

  private SegmentHandle create(Path directory, long lengthBytes) throws IOException {
    int segmentId = nextSegmentId;
    nextSegmentId = Math.addExact(segmentId, 1);
    Path path = directory.resolve(SegmentNames.of(segmentId));
    SharedFile file = PrivateDirectory.createShared(path);
    SegmentInfo info = new SegmentInfo(segmentId, Tier.DISK, path, lengthBytes);
    SegmentHandle segment = new SegmentHandle(info, file, null, config.medium());
    try {
      segment.extendTo(lengthBytes);
    } catch (IOException | RuntimeException | Error e) {
      segment.delete();
      throw e;
    }
    segments.put(segmentId, segment);
    used.add(segment.range());
    return segment;
  }

  private Optional<Path> roomiest() throws IOException {
    Path best = null;
    long bestBytes = -1;
    for (Path directory : config.diskDirectories()) {
      long usableBytes = Files.getFileStore(directory).getUsableSpace();
      if (usableBytes > bestBytes) {
        best = directory;
        bestBytes = usableBytes;
      }
    }
    return Optional.ofNullable(best);
  }
}
