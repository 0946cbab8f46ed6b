package io.sluice.spill.segment;

import java.nio.file.Path;
import java.util.Objects;

/**
 * One segment of the spill store, as other processes know it: a file, or a range of a device.
 *
 * @param segmentId unique in the pool; ids of the disk tier start at {@link #DISK_ID_BASE}
 * @param incarnation number of files with this id that the pool had before; an open file of another
 *     incarnation is not this segment
 * @param tier which kind of segment it is
 * @param path the file or device on this node
 * @param fileOffsetBytes where the segment starts in it
 * @param lengthBytes its length, a multiple of the pool's block size
 * @param mapUnitBytes unit of the offset and length of mappings, a power of two; {@link
 *     #MAPPED_BY_JDK} for files that the JDK can map
 */
public record SegmentInfo(
    int segmentId,
    int incarnation,
    Tier tier,
    Path path,
    long fileOffsetBytes,
    long lengthBytes,
    int mapUnitBytes) {
  /** First segment id of the disk tier. */
  public static final int DISK_ID_BASE = 1 << 30;

  /** Unit of an ordinary file. */
  public static final int MAPPED_BY_JDK = 0;

  public SegmentInfo {
    Objects.requireNonNull(path, "path");
    if (segmentId < 0 || tier != tierOf(segmentId)) {
      throw new IllegalArgumentException("segment id " + segmentId + " is not of tier " + tier);
    }
    if (incarnation < 0) {
      throw new IllegalArgumentException("there is no incarnation " + incarnation);
    }
    if (lengthBytes <= 0) {
      throw new IllegalArgumentException("segment length " + lengthBytes + " is not positive");
    }
    if (fileOffsetBytes < 0 || fileOffsetBytes + lengthBytes < 0) {
      throw new IllegalArgumentException("a segment cannot start at " + fileOffsetBytes);
    }
    if (mapUnitBytes != MAPPED_BY_JDK
        && (mapUnitBytes < 0
            || Integer.bitCount(mapUnitBytes) != 1
            || fileOffsetBytes % mapUnitBytes != 0
            || lengthBytes % mapUnitBytes != 0)) {
      throw new IllegalArgumentException(
          "segment at %s of length %s is not made of units of %s"
              .formatted(fileOffsetBytes, lengthBytes, mapUnitBytes));
    }
  }

  /** A whole ordinary file, the first with its id. */
  public SegmentInfo(int segmentId, Tier tier, Path path, long lengthBytes) {
    this(segmentId, 0, tier, path, 0, lengthBytes, MAPPED_BY_JDK);
  }

  /** The same segment where its file has another length. */
  public SegmentInfo withLength(long lengthBytes) {
    return new SegmentInfo(
        segmentId, incarnation, tier, path, fileOffsetBytes, lengthBytes, mapUnitBytes);
  }

  /** The tier that a segment id belongs to. */
  public static Tier tierOf(int segmentId) {
    return segmentId >= DISK_ID_BASE ? Tier.DISK : Tier.MEMORY;
  }
}
