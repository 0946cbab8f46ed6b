package io.sluice.spill.store;

import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.ExtentTable;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * Copies the bytes that an output has in memory, or the end of them, to another location, as {@link
 * FooterLayout} lays them out. It does not write the mark that makes the output exist there. Bytes
 * on disk, and bytes that are not to be copied, stay where they are and are part of both locations.
 * Damage is copied too: a reader finds it by the checksums of the runs, here as there.
 *
 * <pre>
 *  extents of the output   | memory | disk   | memory     | disk, with the index |
 *  all of it elsewhere     | new    | stays  | new        | stays                | new: the record
 *  the end of it           | stays  | stays  | new        | stays                | new: the record
 * </pre>
 *
 * <p>Thread contract: one thread. Ownership: the output may be freed and its bytes overwritten
 * meanwhile; the caller that sets the mark looks first. Failure: {@link IOException} of either
 * location.
 */
final class OutputCopy {
  private static final int PIECE_BYTES = 1 << 20;

  private final OutputIdentity identity;
  private final OutputLocation source;
  private final int blockBytes;
  private final long identityOffsetBytes;
  private final List<Part> parts = new ArrayList<>();
  private int stayingCount;

  /** Where the bytes go. */
  interface Sink {
    /** Writes all that remains in {@code bytes}, which is not used again. */
    void write(Range range, ByteBuffer bytes) throws IOException;
  }

  /**
   * Some of the output, by logical offsets.
   *
   * @param staying where it lies and stays; null if it is copied
   */
  private record Part(long beginBytes, long endBytes, Extent staying) {
    long lengthBytes() {
      return endBytes - beginBytes;
    }

    boolean moves() {
      return staying == null;
    }
  }

  /**
   * Copies nothing yet.
   *
   * @param mostBytes how much of the bytes in memory is copied, by whole extents from the end on,
   *     which is read last; the first of these extents may be longer
   */
  OutputCopy(CommittedOutput output, int blockBytes, long mostBytes) {
    this.identity = output.identity();
    this.source = output.location();
    this.blockBytes = blockBytes;
    this.identityOffsetBytes =
        FooterLayout.align8(identity.indexOffsetBytes() + identity.indexLengthBytes());
    long usedBytes = identityOffsetBytes + FooterLayout.identityBytes(identity.id());
    int firstMoving = firstMoving(output.extents(), mostBytes);
    long beginBytes = 0;
    for (int i = 0; i < output.extents().size(); i++) {
      Extent extent = output.extents().get(i);
      if (beginBytes < usedBytes) {
        add(beginBytes, extent, i < firstMoving, usedBytes);
      }
      beginBytes += extent.lengthBytes();
    }
    addLocation(usedBytes);
  }

  private static int firstMoving(List<Extent> extents, long mostBytes) {
    int first = extents.size();
    for (long movingBytes = 0; first > 0 && movingBytes < mostBytes; ) {
      Extent extent = extents.get(--first);
      movingBytes += extent.segment().tier() == Tier.MEMORY ? extent.lengthBytes() : 0;
    }
    return first;
  }

  private void add(long beginBytes, Extent extent, boolean stays, long usedBytes) {
    long endBytes = beginBytes + extent.lengthBytes();
    if (stays || extent.segment().tier() == Tier.DISK) {
      parts.add(new Part(beginBytes, endBytes, extent));
      stayingCount++;
    } else {
      addMoving(beginBytes, Math.min(endBytes, usedBytes));
    }
  }

  private void addMoving(long beginBytes, long endBytes) {
    Part last = parts.isEmpty() ? null : parts.get(parts.size() - 1);
    if (last != null && last.moves()) {
      parts.set(parts.size() - 1, new Part(last.beginBytes(), endBytes, null));
    } else {
      parts.add(new Part(beginBytes, endBytes, null));
    }
  }

  /** In whole blocks behind all else. */
  private void addLocation(long usedBytes) {
    Part last = parts.get(parts.size() - 1);
    long beginBytes = last.moves() ? last.beginBytes() : last.endBytes();
    long offsetBytes = Math.max(usedBytes, beginBytes);
    long movingBytes = parts.stream().filter(Part::moves).mapToLong(Part::lengthBytes).sum();
    // Each moving part may begin inside an extent that is granted, and end inside another.
    long extentCount = stayingCount + 2L * parts.size() + movingBytes / Extent.MAX_LENGTH_BYTES + 2;
    long lengthBytes =
        offsetBytes + FooterLayout.locationBytes(Math.toIntExact(extentCount)) - beginBytes;
    addMoving(beginBytes, beginBytes + (lengthBytes + blockBytes - 1) / blockBytes * blockBytes);
  }

  /** How much it takes, in whole blocks. */
  long lengthBytes() {
    return parts.stream().filter(Part::moves).mapToLong(Part::lengthBytes).sum();
  }

  /** The other location: what stays, and between that what is granted, as long as is needed. */
  ExtentTable lay(List<Extent> granted) {
    ExtentTable extents = new ExtentTable();
    Iterator<Extent> grants = granted.iterator();
    Extent left = null;
    for (Part part : parts) {
      if (!part.moves()) {
        extents.add(part.staying());
        continue;
      }
      for (long doneBytes = 0; doneBytes < part.lengthBytes(); ) {
        Extent next = left == null ? grants.next() : left;
        long takenBytes = Math.min(next.lengthBytes(), part.lengthBytes() - doneBytes);
        extents.add(new Extent(next.segment(), next.offsetBytes(), takenBytes));
        long leftBytes = next.lengthBytes() - takenBytes;
        left =
            leftBytes == 0
                ? null
                : new Extent(next.segment(), next.offsetBytes() + takenBytes, leftBytes);
        doneBytes += takenBytes;
      }
    }
    return extents;
  }

  /**
   * Writes everything that does not stay.
   *
   * @param extents as they were laid
   * @param lease that they are of, whose generation the location gets
   * @return where the trailer lies
   */
  FooterLocation write(ExtentTable extents, LeaseInfo lease, Sink sink) throws IOException {
    for (Part part : parts) {
      if (part.moves()) {
        copy(part, 0, identity.dataLengthBytes(), extents, sink);
        copy(part, identity.indexOffsetBytes(), identity.indexLengthBytes(), extents, sink);
        writeIdentity(part, extents, sink);
      }
    }
    Range last = extents.extents().get(extents.extents().size() - 1).range();
    FooterLocation trailer =
        new FooterLocation(last.segmentId(), last.endBytes() - FooterLayout.TRAILER_BYTES);
    LocationRecord record =
        new LocationRecord(
            lease.poolId(),
            trailer,
            lease.generation(),
            extents.extents().stream().map(Extent::range).toList(),
            identityOffsetBytes,
            FooterLayout.identityBytes(identity.id()),
            identity.crc32c());
    ByteBuffer tail = record.encode();
    write(extents.lengthBytes() - tail.capacity(), tail, extents, sink);
    return trailer;
  }

  /** Copies those of these bytes that lie in that part. */
  private void copy(Part part, long offsetBytes, long lengthBytes, ExtentTable extents, Sink sink)
      throws IOException {
    long endBytes = Math.min(part.endBytes(), offsetBytes + lengthBytes);
    long nextBytes = Math.max(part.beginBytes(), offsetBytes);
    while (nextBytes < endBytes) {
      ByteBuffer piece = ByteBuffer.allocate((int) Math.min(PIECE_BYTES, endBytes - nextBytes));
      source.copyTo(nextBytes, piece.duplicate());
      write(nextBytes, piece, extents, sink);
      nextBytes += piece.capacity();
    }
  }

  private void writeIdentity(Part part, ExtentTable extents, Sink sink) throws IOException {
    ByteBuffer bytes = identity.encode();
    long beginBytes = Math.max(part.beginBytes(), identityOffsetBytes);
    long endBytes = Math.min(part.endBytes(), identityOffsetBytes + bytes.capacity());
    if (beginBytes < endBytes) {
      int firstByte = (int) (beginBytes - identityOffsetBytes);
      write(beginBytes, bytes.slice(firstByte, (int) (endBytes - beginBytes)), extents, sink);
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
