package io.sluice.spill.format;

import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Reads the tail of an output back from a medium that anybody with the task's user may have written
 * to: first where it lies, then, through that, what it is. Every field is checked before it is
 * used.
 *
 * <p>Thread contract: stateless. Failure: {@link CorruptOutputException} with the field, actual
 * against expected, and the place.
 */
public final class FooterReader {
  private static final int SHORTEST_IDENTITY_BYTES = FooterLayout.identityBytes(2);
  private static final int LONGEST_IDENTITY_BYTES =
      FooterLayout.identityBytes(2 * OutputId.MAX_LENGTH);

  private final UUID poolId;
  private final int blockBytes;

  /** A reader for the outputs of one pool. */
  public FooterReader(UUID poolId, int blockBytes) {
    this.poolId = poolId;
    this.blockBytes = blockBytes;
  }

  /** Whether a block that ends at {@code endBytes} ends with a trailer with a commit mark. */
  public static boolean looksCommitted(ByteSource segment, long endBytes) throws IOException {
    byte[] bytes = new byte[FooterLayout.TRAILER_BYTES];
    segment.read(endBytes - bytes.length, bytes);
    ByteBuffer trailer = ByteBuffer.wrap(bytes);
    return trailer.getLong(FooterLayout.MAGIC_OFFSET) == FooterLayout.MAGIC
        && trailer.getLong(FooterLayout.COMMIT_MARK_OFFSET)
            == FooterLayout.commitMark(trailer.getInt(FooterLayout.PLACE_CRC_OFFSET));
  }

  /**
   * Reads and checks place and trailer; says nothing about whether they are committed, nor whether
   * the extents exist and belong to whoever wrote it.
   */
  public LocationRecord readPlace(ByteSource segment, FooterLocation location) throws IOException {
    return readPlace(segment, location, 0, Integer.MAX_VALUE);
  }

  /**
   * The same behind what {@link #looksCommitted}: nothing in a place does, so none reaches over it.
   *
   * @param fromBytes where that ends, and the place begins at the earliest
   * @param mostExtents how many there can be; a place of more is not read
   */
  public LocationRecord readPlace(
      ByteSource segment, FooterLocation location, long fromBytes, long mostExtents)
      throws IOException {
    Check check = new Check(location);
    long trailerOffsetBytes = location.trailerOffsetBytes();
    check.that(
        trailerOffsetBytes >= 0
            && trailerOffsetBytes <= segment.lengthBytes() - FooterLayout.TRAILER_BYTES
            && location.endBytes() % blockBytes == 0,
        "trailer offset",
        trailerOffsetBytes,
        "the last " + FooterLayout.TRAILER_BYTES + " bytes of a block of " + blockBytes);
    byte[] trailerBytes = new byte[FooterLayout.TRAILER_BYTES];
    segment.read(trailerOffsetBytes, trailerBytes);
    ByteBuffer trailer = ByteBuffer.wrap(trailerBytes);
    check.same("magic", trailer.getLong(FooterLayout.MAGIC_OFFSET), FooterLayout.MAGIC);
    check.release("it", trailer.getInt(FooterLayout.VERSION_OFFSET));
    int placeBytes = trailer.getInt(FooterLayout.PLACE_LENGTH_OFFSET);
    long mostBytes =
        Math.min(
            Math.min(trailerOffsetBytes - fromBytes, FooterLayout.MAX_BYTES),
            Math.min(mostExtents, FooterLayout.MAX_BYTES) * FooterLayout.EXTENT_BYTES);
    check.that(
        placeBytes > 0 && placeBytes <= mostBytes && placeBytes % FooterLayout.EXTENT_BYTES == 0,
        "place length",
        placeBytes,
        FooterLayout.EXTENT_BYTES + " for each extent, up to " + mostBytes);
    byte[] place = new byte[placeBytes];
    segment.read(trailerOffsetBytes - placeBytes, place);
    CRC32C crc = new CRC32C();
    crc.update(place);
    crc.update(trailerBytes, 0, FooterLayout.PLACE_CRC_OFFSET);
    check.same(
        "CRC32C of the place", (int) crc.getValue(), trailer.getInt(FooterLayout.PLACE_CRC_OFFSET));
    check.zeros("trailer", trailer, FooterLayout.RESERVED_OFFSET, FooterLayout.PLACE_CRC_OFFSET);
    checkSelf(check, trailer, location);
    LocationRecord decoded =
        new LocationRecord(
            poolId,
            location,
            trailer.getLong(FooterLayout.PLACE_GENERATION_OFFSET),
            decodeExtents(check, ByteBuffer.wrap(place)),
            trailer.getLong(FooterLayout.IDENTITY_OFFSET_OFFSET),
            trailer.getInt(FooterLayout.IDENTITY_LENGTH_OFFSET),
            trailer.getInt(FooterLayout.EXPECTED_IDENTITY_CRC_OFFSET));
    checkGeometry(check, decoded, placeBytes);
    return decoded;
  }

  private void checkSelf(Check check, ByteBuffer trailer, FooterLocation location)
      throws IOException {
    UUID actual =
        new UUID(
            trailer.getLong(FooterLayout.POOL_ID_OFFSET),
            trailer.getLong(FooterLayout.POOL_ID_OFFSET + 8));
    check.that(actual.equals(poolId), "pool id", actual, poolId);
    check.same("segment id", trailer.getInt(FooterLayout.SEGMENT_ID_OFFSET), location.segmentId());
    check.same(
        "own offset",
        trailer.getLong(FooterLayout.TRAILER_OFFSET_OFFSET),
        location.trailerOffsetBytes());
  }

  private List<Range> decodeExtents(Check check, ByteBuffer place) throws IOException {
    int extentCount = place.capacity() / FooterLayout.EXTENT_BYTES;
    List<Range> extents = new ArrayList<>(extentCount);
    for (int i = 0; i < extentCount; i++) {
      int offset = i * FooterLayout.EXTENT_BYTES;
      check.zeros(
          "extent " + i, place, offset + FooterLayout.RESERVED_OF_EXTENT_OFFSET, offset + 8);
      int segmentId = place.getInt(offset);
      long offsetBytes = place.getLong(offset + 8);
      long lengthBytes = place.getLong(offset + 16);
      check.that(
          segmentId >= 0
              && offsetBytes >= 0
              && lengthBytes > 0
              && offsetBytes + lengthBytes > 0
              && offsetBytes % blockBytes == 0
              && lengthBytes % blockBytes == 0,
          "extent " + i,
          "segment " + segmentId + " at " + offsetBytes + " of length " + lengthBytes,
          "whole blocks of " + blockBytes);
      extents.add(new Range(segmentId, offsetBytes, lengthBytes));
    }
    return extents;
  }

  private static void checkGeometry(Check check, LocationRecord place, int placeBytes)
      throws IOException {
    Range last = place.extents().get(place.extents().size() - 1);
    check.same("segment of the last extent", last.segmentId(), place.location().segmentId());
    check.same("end of the last extent", last.endBytes(), place.location().endBytes());
    int tailBytes = placeBytes + FooterLayout.TRAILER_BYTES;
    check.that(
        tailBytes <= last.lengthBytes(),
        "place length",
        placeBytes,
        "in the last extent, of " + last.lengthBytes() + " bytes");
    long sumBytes = 0;
    for (Range extent : place.extents()) {
      sumBytes += extent.lengthBytes();
      check.that(sumBytes > 0, "sum of the extents", sumBytes, "below 2^63");
    }
    int identityBytes = place.identityLengthBytes();
    check.that(
        identityBytes >= SHORTEST_IDENTITY_BYTES && identityBytes <= LONGEST_IDENTITY_BYTES,
        "identity length",
        identityBytes,
        SHORTEST_IDENTITY_BYTES + " to " + LONGEST_IDENTITY_BYTES);
    long placeStartBytes = sumBytes - tailBytes;
    long offsetBytes = place.identityOffsetBytes();
    check.that(
        offsetBytes >= 0
            && offsetBytes % Long.BYTES == 0
            && offsetBytes <= placeStartBytes - identityBytes,
        "identity offset",
        offsetBytes,
        "a multiple of 8 before the place, which begins at " + placeStartBytes);
  }

  /**
   * Reads and checks what lies at a place.
   *
   * @param bytes of its extents, in their order
   */
  public OutputIdentity readIdentity(LocationRecord place, ByteSource bytes) throws IOException {
    Check check = new Check(place.location());
    byte[] identityBytes = new byte[place.identityLengthBytes()];
    bytes.read(place.identityOffsetBytes(), identityBytes);
    ByteBuffer identity = ByteBuffer.wrap(identityBytes);
    check.same(
        "magic of the identity",
        identity.getLong(FooterLayout.MAGIC_OFFSET),
        FooterLayout.IDENTITY_MAGIC);
    check.release("the identity", identity.getInt(FooterLayout.VERSION_OFFSET));
    int crc32c = OutputIdentity.crc32c(identity);
    check.same("CRC32C of the identity", crc32c, identity.getInt(FooterLayout.IDENTITY_CRC_OFFSET));
    check.same("CRC32C of the identity", crc32c, place.identityCrc32c());
    OutputIdentity decoded =
        new OutputIdentity(
            decodeId(check, identity),
            identity.getLong(FooterLayout.WRITER_GENERATION_OFFSET),
            identity.getInt(FooterLayout.PARTITION_COUNT_OFFSET),
            identity.getInt(FooterLayout.RUN_COUNT_OFFSET),
            identity.getLong(FooterLayout.DATA_LENGTH_OFFSET),
            identity.getLong(FooterLayout.INDEX_OFFSET_OFFSET),
            identity.getInt(FooterLayout.INDEX_LENGTH_OFFSET),
            identity.getInt(FooterLayout.INDEX_CRC_OFFSET));
    // Else bytes that are no field's are not zero.
    check.same("CRC32C of the identity's fields", decoded.crc32c(), crc32c);
    checkGeometry(check, decoded, place);
    return decoded;
  }

  private static OutputId decodeId(Check check, ByteBuffer identity) throws IOException {
    int applicationIdLength =
        Short.toUnsignedInt(identity.getShort(FooterLayout.APPLICATION_ID_LENGTH_OFFSET));
    int outputIdLength =
        Short.toUnsignedInt(identity.getShort(FooterLayout.OUTPUT_ID_LENGTH_OFFSET));
    check.same(
        "identity length",
        identity.capacity(),
        FooterLayout.identityBytes(applicationIdLength + outputIdLength));
    byte[] bytes = identity.array();
    try {
      return new OutputId(
          new String(bytes, FooterLayout.IDS_OFFSET, applicationIdLength, StandardCharsets.US_ASCII)
              .intern(), // the same in every output of an application
          new String(
              bytes,
              FooterLayout.IDS_OFFSET + applicationIdLength,
              outputIdLength,
              StandardCharsets.US_ASCII));
    } catch (IllegalArgumentException e) {
      throw check.failure(e.getMessage());
    }
  }

  private static void checkGeometry(Check check, OutputIdentity identity, LocationRecord place)
      throws IOException {
    check.that(
        identity.writerGeneration() <= place.generation(),
        "generation of the writer",
        identity.writerGeneration(),
        "up to that of the place, " + place.generation());
    check.that(identity.partitionCount() > 0, "partition count", identity.partitionCount(), "> 0");
    check.that(identity.runCount() >= 0, "run count", identity.runCount(), ">= 0");
    int indexBytes = identity.indexLengthBytes();
    long shortestBytes =
        OutputIndex.encodedBytes(identity.partitionCount(), identity.runCount(), 0);
    check.that(
        indexBytes >= shortestBytes && (indexBytes - shortestBytes) % Integer.BYTES == 0,
        "index length",
        indexBytes,
        shortestBytes + " and 4 for each further CRC");
    check.that(
        indexBytes <= FooterLayout.MAX_BYTES,
        "index length",
        indexBytes,
        "up to " + FooterLayout.MAX_BYTES);
    long indexOffsetBytes = identity.indexOffsetBytes();
    check.that(
        indexOffsetBytes >= 0
            && indexOffsetBytes % Long.BYTES == 0
            && indexOffsetBytes <= place.identityOffsetBytes() - indexBytes,
        "index offset",
        indexOffsetBytes,
        "a multiple of 8 before the identity at " + place.identityOffsetBytes());
    check.that(
        identity.dataLengthBytes() >= 0 && identity.dataLengthBytes() <= indexOffsetBytes,
        "data length",
        identity.dataLengthBytes(),
        "0 to the " + indexOffsetBytes + " bytes before the index");
  }

  private record Check(FooterLocation location) {
    void same(String what, long actual, long expected) throws IOException {
      that(actual == expected, what, actual, expected);
    }

    void release(String what, int format) throws IOException {
      if (format != FooterLayout.VERSION) {
        throw failure(
            what
                + " is of another release of Sluice: it has format "
                + format
                + ", this release "
                + FooterLayout.VERSION);
      }
    }

    void that(boolean holds, String what, Object actual, Object expected) throws IOException {
      if (!holds) {
        throw failure(what + " is " + actual + ", expected " + expected);
      }
    }

    /** Else the same fields had other bytes, and another mark than the store writes. */
    void zeros(String where, ByteBuffer bytes, int from, int to) throws IOException {
      for (int i = from; i < to; i++) {
        if (bytes.get(i) != 0) {
          throw failure("reserved byte " + i + " of the " + where + " is " + bytes.get(i));
        }
      }
    }

    CorruptOutputException failure(String message) {
      return new CorruptOutputException(
          "no valid output ends at segment "
              + location.segmentId()
              + ", offset "
              + location.trailerOffsetBytes()
              + ": "
              + message);
    }
  }
}
