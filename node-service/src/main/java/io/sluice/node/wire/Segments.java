package io.sluice.node.wire;

import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;

/**
 * A segment in a message of either protocol.
 *
 * <pre>
 * int32 id, int8 tier, int32 directory, int32 incarnation, int64 offset in the file, int64 length,
 * int32 unit of mappings
 * </pre>
 *
 * It names no file: see {@link PoolPaths}.
 */
public final class Segments {
  /** Of a pool. */
  public static final int MAX_DIRECTORIES = 1000;

  private Segments() {}

  /** Writes where a segment lies. */
  public static void write(DataOutputStream out, SegmentInfo segment, PoolPaths places)
      throws IOException {
    out.writeInt(segment.segmentId());
    out.writeByte(segment.tier().ordinal());
    out.writeInt(places.numberOf(segment));
    out.writeInt(segment.incarnation());
    out.writeLong(segment.fileOffsetBytes());
    out.writeLong(segment.lengthBytes());
    out.writeInt(segment.mapUnitBytes());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws ProtocolException if the tier does not exist
   * @throws IllegalArgumentException if there is no such segment
   * @throws IOException if its directory is not this user's own
   */
  public static SegmentInfo read(DataInputStream in, PoolPaths places) throws IOException {
    int segmentId = in.readInt();
    Tier tier = Tier.values()[Bounded.readByteBelow(in, Tier.values().length, "tiers")];
    int place = Bounded.readCount(in, MAX_DIRECTORIES, "directories");
    int incarnation = Bounded.readCount(in, Integer.MAX_VALUE, "incarnations");
    return new SegmentInfo(
        segmentId,
        incarnation,
        tier,
        places.path(place, segmentId, incarnation),
        in.readLong(),
        in.readLong(),
        in.readInt());
  }
}
