package io.sluice.spill.format;

import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.segment.Range;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

/**
 * Reads the tail of an output back: first its location, and through that its identity. Anybody with
 * the task's user may have written to the medium, so every field is checked before it is used.
 *
 * <p>Thread contract: stateless. Failure: {@link CorruptOutputException} with the field, actual
 * against expected, and the location.
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
            == FooterLayout.commitMark(trailer.getInt(FooterLayout.TRAILER_CRC_OFFSET));
  }

  /**
   * Reads and checks location and trailer. It does not check whether they are committed, nor
   * whether the extents exist and belong to the writer.
   */
  public LocationRecord readLocation(ByteSource segment, FooterLocation location)
      throws IOException {
    return readLocation(segment, location, 0, Integer.MAX_VALUE);
  }

  /**
   * The same behind another output that {@link #looksCommitted}. No location looks so, so none
   * reaches over that output's end.
   *
   * @param fromBytes where the other output ends and the location begins at the earliest
   * @param mostExtents how many there can be; a longer location is not read
   */
  public LocationRecord readLocation(
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
    int locationBytes = trailer.getInt(FooterLayout.LOCATION_LENGTH_OFFSET);
    long mostBytes =
        Math.min(
            Math.min(trailerOffsetBytes - fromBytes, FooterLayout.MAX_BYTES),
            Math.min(mostExtents, FooterLayout.MAX_BYTES) * FooterLayout.EXTENT_BYTES);
    check.that(
        locationBytes > 0
            && locationBytes <= mostBytes
            && locationBytes % FooterLayout.EXTENT_BYTES == 0,
        "location length",
        locationBytes,
        FooterLayout.EXTENT_BYTES + " for each extent, up to " + mostBytes);
    byte[] extentBytes = new byte[locationBytes];
    segment.read(trailerOffsetBytes - locationBytes, extentBytes);
    CRC32C crc = new CRC32C();
    crc.update(extentBytes);
    crc.update(trailerBytes, 0, FooterLayout.TRAILER_CRC_OFFSET);
    check.same(
        "CRC32C of the location",
        (int) crc.getValue(),
        trailer.getInt(FooterLayout.TRAILER_CRC_OFFSET));
    check.zeros("trailer", trailer, FooterLayout.RESERVED_OFFSET, FooterLayout.TRAILER_CRC_OFFSET);
    checkSelf(check, trailer, location);
    LocationRecord decoded =
        new LocationRecord(
            poolId,
            location,
            trailer.getLong(FooterLayout.GENERATION_OFFSET),
            decodeExtents(check, ByteBuffer.wrap(extentBytes)),
            trailer.getLong(FooterLayout.IDENTITY_OFFSET_OFFSET),
            trailer.getInt(FooterLayout.IDENTITY_LENGTH_OFFSET),
            trailer.getInt(FooterLayout.EXPECTED_IDENTITY_CRC_OFFSET));
    checkGeometry(check, decoded, locationBytes);
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

  private List<Range> decodeExtents(Check check, ByteBuffer extentBytes) throws IOException {
    int extentCount = extentBytes.capacity() / FooterLayout.EXTENT_BYTES;
    List<Range> extents = new ArrayList<>(extentCount);
    for (int i = 0; i < extentCount; i++) {
      int offset = i * FooterLayout.EXTENT_BYTES;
      check.zeros(
          "extent " + i, extentBytes, offset + FooterLayout.RESERVED_OF_EXTENT_OFFSET, offset + 8);
      int segmentId = extentBytes.getInt(offset);
      long offsetBytes = extentBytes.getLong(offset + 8);
      long lengthBytes = extentBytes.getLong(offset + 16);
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

  private static void checkGeometry(Check check, LocationRecord record, int locationBytes)
      throws IOException {
    Range last = record.extents().get(record.extents().size() - 1);
    check.same("segment of the last extent", last.segmentId(), record.location().segmentId());
    check.same("end of the last extent", last.endBytes(), record.location().endBytes());
    int tailBytes = locationBytes + FooterLayout.TRAILER_BYTES;
    check.that(
        tailBytes <= last.lengthBytes(),
        "location length",
        locationBytes,
        "in the last extent, of " + last.lengthBytes() + " bytes");
    long sumBytes = 0;
    for (Range extent : record.extents()) {
      sumBytes += extent.lengthBytes();
      check.that(sumBytes > 0, "sum of the extents", sumBytes, "below 2^63");
    }
    int identityBytes = record.identityLengthBytes();
    check.that(
        identityBytes >= SHORTEST_IDENTITY_BYTES && identityBytes <= LONGEST_IDENTITY_BYTES,
        "identity length",
        identityBytes,
        SHORTEST_IDENTITY_BYTES + " to " + LONGEST_IDENTITY_BYTES);
    long locationStartBytes = sumBytes - tailBytes;
    long offsetBytes = record.identityOffsetBytes();
    check.that(
        offsetBytes >= 0
            && offsetBytes % Long.BYTES == 0
            && offsetBytes <= locationStartBytes - identityBytes,
        "identity offset",
        offsetBytes,
        "a multiple of 8 before the location at " + locationStartBytes);
  }

  /**
   * Reads and checks the identity of the output at a location.
   *
   * @param bytes of its extents, in their order
   */
  public OutputIdentity readIdentity(LocationRecord record, ByteSource bytes) throws IOException {
    Check check = new Check(record.location());
    byte[] identityBytes = new byte[record.identityLengthBytes()];
    bytes.read(record.identityOffsetBytes(), identityBytes);
    ByteBuffer identity = ByteBuffer.wrap(identityBytes);
    check.same(
        "magic of the identity",
        identity.getLong(FooterLayout.MAGIC_OFFSET),
        FooterLayout.IDENTITY_MAGIC);
    check.release("the identity", identity.getInt(FooterLayout.VERSION_OFFSET));
    int crc32c = OutputIdentity.crc32c(identity);
    check.same("CRC32C of the identity", crc32c, identity.getInt(FooterLayout.IDENTITY_CRC_OFFSET));
    check.same("CRC32C of the identity", crc32c, record.identityCrc32c());
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
    // They differ if bytes outside the fields are not zero.
    check.same("CRC32C of the identity's fields", decoded.crc32c(), crc32c);
    checkGeometry(check, decoded, record);
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

  private static void checkGeometry(Check check, OutputIdentity identity, LocationRecord record)
      throws IOException {
    check.that(
        identity.writerGeneration() <= record.generation(),
        "generation of the writer",
        identity.writerGeneration(),
        "up to that of the location, " + record.generation());
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
            && indexOffsetBytes <= record.identityOffsetBytes() - indexBytes,
        "index offset",
        indexOffsetBytes,
        "a multiple of 8 before the identity at " + record.identityOffsetBytes());
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
            "%s is of another release of Sluice: it has format %s, this release %s"
                .formatted(what, format, FooterLayout.VERSION));
      }
    }

    void that(boolean holds, String what, Object actual, Object expected) throws IOException {
      if (!holds) {
        throw failure(what + " is " + actual + ", expected " + expected);
      }
    }

    /** Reserved bytes are 0, so that the same fields have one encoding and one mark. */
    void zeros(String where, ByteBuffer bytes, int from, int to) throws IOException {
      for (int i = from; i < to; i++) {
        if (bytes.get(i) != 0) {
          throw failure("reserved byte " + i + " of the " + where + " is " + bytes.get(i));
        }
      }
    }

    CorruptOutputException failure(String message) {
      return new CorruptOutputException(
          "no valid output ends at segment %s, offset %s: %s"
              .formatted(location.segmentId(), location.trailerOffsetBytes(), message));
    }
  }

  /**
   * Bytes of one segment, or of all extents of one output. They are copied, so that nobody can
   * change them between check and use.
   */
  public interface ByteSource {
    /** Length of all of them. */
    long lengthBytes();

    /**
     * Fills {@code destination} from {@code offsetBytes} on.
     *
     * @throws IOException if the file is shorter than that or cannot be read
     */
    void read(long offsetBytes, byte[] destination) throws IOException;
  }
}
