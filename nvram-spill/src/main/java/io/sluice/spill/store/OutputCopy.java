package io.sluice.spill.store;

import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.PlaceRecord;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Copies an output to another place, byte for byte as {@link FooterLayout} has it, without the mark
 * that makes it exist there. Damage is copied too: a reader finds it by the checksums of the runs,
 * here as there.
 *
 * <p>Thread contract: one thread. Ownership: the output may be freed and its bytes overwritten
 * meanwhile; whoever sets the mark looks first. Failure: {@link IOException} of either place.
 */
final class OutputCopy {
  private static final int PIECE_BYTES = 1 << 20;

  private final OutputIdentity identity;
  private final OutputPlace source;
  private final long identityOffsetBytes;

  /** Where the bytes go. */
  interface Sink {
    /** Writes all that remains in {@code bytes}, which is not used again. */
    void write(Range range, ByteBuffer bytes) throws IOException;
  }

  OutputCopy(CommittedOutput output) {
    this.identity = output.identity();
    this.source = output.place();
    this.identityOffsetBytes =
        FooterLayout.align8(identity.indexOffsetBytes() + identity.indexLengthBytes());
  }

  /** What it takes at least, in so many extents. */
  long lengthBytes(int extentCount) {
    return identityOffsetBytes
        + FooterLayout.identityBytes(identity.id())
        + FooterLayout.placeBytes(extentCount);
  }

  /**
   * Writes everything.
   *
   * @param extents as long as {@link #lengthBytes} at least
   * @param lease that they are of, whose generation the place gets
   * @return where the trailer lies
   */
  FooterLocation write(ExtentTable extents, LeaseInfo lease, Sink sink) throws IOException {
    copy(0, identity.dataLengthBytes(), extents, sink);
    copy(identity.indexOffsetBytes(), identity.indexLengthBytes(), extents, sink);
    write(identityOffsetBytes, identity.encode(), extents, sink);
    Range last = extents.extents().get(extents.extents().size() - 1).range();
    FooterLocation trailer =
        new FooterLocation(last.segmentId(), last.endBytes() - FooterLayout.TRAILER_BYTES);
    PlaceRecord place =
        new PlaceRecord(
            lease.poolId(),
            trailer,
            lease.generation(),
            extents.extents().stream().map(Extent::range).toList(),
            identityOffsetBytes,
            FooterLayout.identityBytes(identity.id()),
            identity.crc32c());
    ByteBuffer tail = place.encode();
    write(extents.lengthBytes() - tail.capacity(), tail, extents, sink);
    return trailer;
  }

  private void copy(long offsetBytes, long lengthBytes, ExtentTable extents, Sink sink)
      throws IOException {
    for (long done = 0; done < lengthBytes; done += PIECE_BYTES) {
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, lengthBytes - done));
      source.copyTo(offsetBytes + done, piece.duplicate());
      write(offsetBytes + done, piece, extents, sink);
    }
  }

  private static void write(long offsetBytes, ByteBuffer bytes, ExtentTable extents, Sink sink)
      throws IOException {
    int doneBytes = 0;
    for (Range range : extents.ranges(offsetBytes, bytes.capacity())) {
      sink.write(range, bytes.slice(doneBytes, (int) range.lengthBytes()));
      doneBytes += (int) range.lengthBytes();
    }
  }
}
