package io.sluice.node.wire;

import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Path;

/**
 * A segment in a message of either protocol.
 *
 * <pre>
 * int32 id, int8 tier, string path, int64 offset in the file, int64 length, int32 unit of mappings
 * </pre>
 */
public final class Segments {
  private Segments() {}

  /** Writes where a segment lies. */
  public static void write(DataOutputStream out, SegmentInfo segment) throws IOException {
    out.writeInt(segment.segmentId());
    out.writeByte(segment.tier().ordinal());
    Bounded.writeString(out, segment.path().toString());
    out.writeLong(segment.fileOffsetBytes());
    out.writeLong(segment.lengthBytes());
    out.writeInt(segment.mapUnitBytes());
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws ProtocolException if the tier does not exist
   * @throws IllegalArgumentException if there is no such segment
   */
  public static SegmentInfo read(DataInputStream in) throws IOException {
    return new SegmentInfo(
        in.readInt(),
        Tier.values()[Bounded.readByteBelow(in, Tier.values().length, "tiers")],
        Path.of(Bounded.readString(in)),
        in.readLong(),
        in.readLong(),
        in.readInt());
  }
}
