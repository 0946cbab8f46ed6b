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
 * Reads {@link Footer}s back from a medium that anybody with the task's user may have written to:
 * every field is checked before it is used.
 *
 * <p>Thread contract: stateless. Failure: {@link CorruptOutputException} with the field, actual
 * against expected, and the place.
 */
public final class FooterReader {
  private final UUID poolId;
  private final int blockBytes;

  /** A reader for the footers of one pool. */
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
            == FooterLayout.commitMark(trailer.getInt(FooterLayout.FOOTER_CRC_OFFSET));
  }

  /**
   * Reads and checks footer and trailer; says nothing about whether they are committed, nor whether
   * the extents belong to whoever wrote it.
   */
  public Footer read(ByteSource segment, FooterLocation location) throws IOException {
    Check check = new Check(location);
    long trailerOffsetBytes = location.trailerOffsetBytes();
    check.that(
        trailerOffsetBytes >= 0
            && location.endBytes() <= segment.lengthBytes()
            && location.endBytes() % blockBytes == 0,
        "trailer offset",
        trailerOffsetBytes,
        "the last " + FooterLayout.TRAILER_BYTES + " bytes of a block of " + blockBytes);
    byte[] trailerBytes = new byte[FooterLayout.TRAILER_BYTES];
    segment.read(trailerOffsetBytes, trailerBytes);
    ByteBuffer trailer = ByteBuffer.wrap(trailerBytes);
    check.same("magic", trailer.getLong(FooterLayout.MAGIC_OFFSET), FooterLayout.MAGIC);
    check.same("version", trailer.getInt(FooterLayout.VERSION_OFFSET), FooterLayout.VERSION);
    int footerBytes = trailer.getInt(FooterLayout.FOOTER_LENGTH_OFFSET);
    long mostBytes = Math.min(trailerOffsetBytes, FooterLayout.MAX_BYTES);
    check.that(
        footerBytes >= FooterLayout.IDS_OFFSET && footerBytes <= mostBytes,
        "footer length",
        footerBytes,
        FooterLayout.IDS_OFFSET + " to " + mostBytes);
    byte[] footer = new byte[footerBytes];
    segment.read(trailerOffsetBytes - footerBytes, footer);
    CRC32C crc = new CRC32C();
    crc.update(footer);
    crc.update(trailerBytes, 0, FooterLayout.FOOTER_CRC_OFFSET);
    check.same(
        "CRC32C of the footer",
        (int) crc.getValue(),
        trailer.getInt(FooterLayout.FOOTER_CRC_OFFSET));
    checkSelf(check, trailer, location);
    return decode(check, trailer, ByteBuffer.wrap(footer), location);
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

  private Footer decode(Check check, ByteBuffer trailer, ByteBuffer footer, FooterLocation location)
      throws IOException {
    int extentCount = footer.getInt(FooterLayout.EXTENT_COUNT_OFFSET);
    int applicationIdLength =
        Short.toUnsignedInt(footer.getShort(FooterLayout.APPLICATION_ID_LENGTH_OFFSET));
    int outputIdLength = Short.toUnsignedInt(footer.getShort(FooterLayout.OUTPUT_ID_LENGTH_OFFSET));
    int headBytes = FooterLayout.headBytes(applicationIdLength, outputIdLength);
    check.that(extentCount > 0, "extent count", extentCount, "more than 0");
    check.same(
        "footer length",
        footer.capacity(),
        headBytes + (long) extentCount * FooterLayout.EXTENT_BYTES);
    OutputId id = decodeId(check, footer, applicationIdLength, outputIdLength);
    List<Range> extents = decodeExtents(check, footer, headBytes, extentCount);
    Footer decoded =
        new Footer(
            poolId,
            location,
            trailer.getLong(FooterLayout.GENERATION_OFFSET),
            id,
            trailer.getInt(FooterLayout.PARTITION_COUNT_OFFSET),
            trailer.getInt(FooterLayout.RUN_COUNT_OFFSET),
            trailer.getLong(FooterLayout.DATA_LENGTH_OFFSET),
            trailer.getLong(FooterLayout.INDEX_OFFSET_OFFSET),
            trailer.getInt(FooterLayout.INDEX_LENGTH_OFFSET),
            trailer.getInt(FooterLayout.INDEX_CRC_OFFSET),
            List.copyOf(extents)); // without spare room: a store keeps it
    checkGeometry(check, decoded, footer.capacity());
    return decoded;
  }

  private static OutputId decodeId(
      Check check, ByteBuffer footer, int applicationIdLength, int outputIdLength)
      throws IOException {
    byte[] bytes = footer.array();
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

  private List<Range> decodeExtents(Check check, ByteBuffer footer, int offset, int extentCount)
      throws IOException {
    List<Range> extents = new ArrayList<>(extentCount);
    for (int i = 0; i < extentCount; i++, offset += FooterLayout.EXTENT_BYTES) {
      int segmentId = footer.getInt(offset);
      long offsetBytes = footer.getLong(offset + 8);
      long lengthBytes = footer.getLong(offset + 16);
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

  private static void checkGeometry(Check check, Footer footer, int footerBytes)
      throws IOException {
    Range last = footer.extents().get(footer.extents().size() - 1);
    check.same("segment of the last extent", last.segmentId(), footer.location().segmentId());
    check.same("end of the last extent", last.endBytes(), footer.location().endBytes());
    check.that(footer.partitionCount() > 0, "partition count", footer.partitionCount(), "> 0");
    check.that(footer.runCount() >= 0, "run count", footer.runCount(), ">= 0");
    long shortestBytes = OutputIndex.encodedBytes(footer.partitionCount(), footer.runCount(), 0);
    check.that(
        footer.indexLengthBytes() >= shortestBytes
            && (footer.indexLengthBytes() - shortestBytes) % Integer.BYTES == 0,
        "index length",
        footer.indexLengthBytes(),
        shortestBytes + " and 4 for each further CRC");
    check.that(
        footer.indexLengthBytes() <= FooterLayout.MAX_BYTES,
        "index length",
        footer.indexLengthBytes(),
        "up to " + FooterLayout.MAX_BYTES);
    long footerStartBytes = footer.location().trailerOffsetBytes() - footerBytes;
    check.that(
        footer.indexOffsetBytes() >= last.offsetBytes()
            && footer.indexOffsetBytes() <= footerStartBytes - footer.indexLengthBytes(),
        "index offset",
        footer.indexOffsetBytes(),
        "in the last extent, before the footer at " + footerStartBytes);
    long beforeLastBytes = 0;
    for (Range extent : footer.extents().subList(0, footer.extents().size() - 1)) {
      beforeLastBytes += extent.lengthBytes();
      check.that(beforeLastBytes > 0, "sum of the extents", beforeLastBytes, "below 2^63");
    }
    long roomBytes = beforeLastBytes + (footer.indexOffsetBytes() - last.offsetBytes());
    check.that(
        footer.dataLengthBytes() >= 0 && footer.dataLengthBytes() <= roomBytes,
        "data length",
        footer.dataLengthBytes(),
        "0 to the " + roomBytes + " bytes before the index");
  }

  private record Check(FooterLocation location) {
    void same(String what, long actual, long expected) throws IOException {
      that(actual == expected, what, actual, expected);
    }

    void that(boolean holds, String what, Object actual, Object expected) throws IOException {
      if (!holds) {
        throw failure(what + " is " + actual + ", expected " + expected);
      }
    }

    CorruptOutputException failure(String message) {
      return new CorruptOutputException(
          "no valid footer at segment "
              + location.segmentId()
              + ", offset "
              + location.trailerOffsetBytes()
              + ": "
              + message);
    }
  }
}
