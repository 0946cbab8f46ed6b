package io.sluice.node.wire;

import java.nio.ByteBuffer;

/**
 * The versions that both sides have named before they authenticate ({@link Versions}). They are
 * part of both proofs, so that nobody between the two can make them use a lower version than the
 * highest that both speak.
 *
 * <pre>
 *   0          2          4          6          8          10
 *   +----------+----------+----------+----------+----------+
 *   | service: | oldest   | reader:  | oldest   | chosen   |
 *   | newest   |          | newest   |          |          |
 *   +----------+----------+----------+----------+----------+
 *     uint16     uint16     uint16     uint16     uint16
 * </pre>
 *
 * @param service versions of the service
 * @param reader versions of the reader
 * @param chosen by the reader
 */
public record AgreedVersion(Versions service, Versions reader, int chosen) {
  private static final int SERVICE_NEWEST_OFFSET = 0;
  private static final int SERVICE_OLDEST_OFFSET = 2;
  private static final int READER_NEWEST_OFFSET = 4;
  private static final int READER_OLDEST_OFFSET = 6;
  private static final int CHOSEN_OFFSET = 8;
  private static final int BYTES = 10;

  /** The choice of a reader whose service speaks these. */
  public static AgreedVersion highest(Versions service, Versions reader) {
    return new AgreedVersion(service, reader, reader.chosenWith(service));
  }

  byte[] bytes() {
    return ByteBuffer.allocate(BYTES)
        .putShort(SERVICE_NEWEST_OFFSET, (short) service.newest())
        .putShort(SERVICE_OLDEST_OFFSET, (short) service.oldest())
        .putShort(READER_NEWEST_OFFSET, (short) reader.newest())
        .putShort(READER_OLDEST_OFFSET, (short) reader.oldest())
        .putShort(CHOSEN_OFFSET, (short) chosen)
        .array();
  }
}
