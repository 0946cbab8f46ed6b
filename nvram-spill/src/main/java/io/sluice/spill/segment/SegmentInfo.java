package io.sluice.spill.segment;

import java.nio.file.Path;
import java.util.Objects;

/**
 * One file of the spill store as other processes see it.
 *
 * @param segmentId unique in the pool; ids of the disk tier start at {@link #DISK_ID_BASE}
 * @param tier which kind of file it is
 * @param path where it lies on this node
 * @param lengthBytes its length, a multiple of the pool's block size
 */
public record SegmentInfo(int segmentId, Tier tier, Path path, long lengthBytes) {
  /** First segment id of the disk tier. */
  public static final int DISK_ID_BASE = 1 << 30;

  public SegmentInfo {
    Objects.requireNonNull(path, "path");
    if (segmentId < 0 || tier != tierOf(segmentId)) {
      throw new IllegalArgumentException("segment id " + segmentId + " is not of tier " + tier);
    }
    if (lengthBytes <= 0) {
      throw new IllegalArgumentException("segment length " + lengthBytes + " is not positive");
    }
  }

  /** The tier that a segment id belongs to. */
  public static Tier tierOf(int segmentId) {
    return segmentId >= DISK_ID_BASE ? Tier.DISK : Tier.MEMORY;
  }
}
