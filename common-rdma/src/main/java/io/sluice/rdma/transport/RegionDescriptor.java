package io.sluice.rdma.transport;

import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * The description of a registered region that a reader needs to read it.
 *
 * <p>Encoded, big-endian:
 *
 * <pre>
 *   0            8            16           24          26
 *   +------------+------------+------------+-----------+---------------+
 *   | regionId   | key        | length     | n (u16)   | provider data |
 *   |            |            | (bytes)    |           | (n bytes)     |
 *   +------------+------------+------------+-----------+---------------+
 * </pre>
 *
 * <p>The key and the provider data authorise reads; {@link #toString} does not print them.
 *
 * @param regionId the region's number at its server
 * @param key a secret that the server checks ({@code tcp}); 0 if the NIC checks an rkey instead
 * @param lengthBytes the length of the region
 * @param providerData other data of the provider, such as address and packed rkey ({@code ucx}).
 *     Its size grows with the number of NICs. Readers must not change it
 */
public record RegionDescriptor(long regionId, long key, long lengthBytes, byte[] providerData) {
  /** The largest provider data. It is enough for dozens of NICs, and limits hostile peers. */
  public static final int MAX_PROVIDER_DATA_BYTES = 4096;

  private static final int REGION_ID_OFFSET = 0;
  private static final int KEY_OFFSET = REGION_ID_OFFSET + Long.BYTES;
  private static final int LENGTH_OFFSET = KEY_OFFSET + Long.BYTES;
  private static final int DATA_LENGTH_OFFSET = LENGTH_OFFSET + Long.BYTES;
  private static final int DATA_OFFSET = DATA_LENGTH_OFFSET + Short.BYTES;

  public RegionDescriptor {
    if (lengthBytes < 0) {
      throw new IllegalArgumentException("negative region length " + lengthBytes);
    }
    if (providerData.length > MAX_PROVIDER_DATA_BYTES) {
      throw new IllegalArgumentException(
          "provider data of a region descriptor has "
              + providerData.length
              + " bytes, the limit is "
              + MAX_PROVIDER_DATA_BYTES);
    }
  }

  /** The encoded form. */
  public byte[] encode() {
    ByteBuffer out = ByteBuffer.allocate(DATA_OFFSET + providerData.length);
    out.putLong(regionId).putLong(key).putLong(lengthBytes);
    out.putShort((short) providerData.length).put(providerData);
    return out.array();
  }

  /**
   * Decodes one descriptor and moves the buffer's position past it.
   *
   * @throws TransportException if the bytes are not a descriptor; the position is then unchanged
   */
  public static RegionDescriptor decode(ByteBuffer in) throws TransportException {
    int start = in.position();
    if (in.remaining() < DATA_OFFSET) {
      throw new TransportException(
          "region descriptor cut short: "
              + in.remaining()
              + " bytes, expected at least "
              + DATA_OFFSET);
    }
    long lengthBytes = in.getLong(start + LENGTH_OFFSET);
    int dataLength = Short.toUnsignedInt(in.getShort(start + DATA_LENGTH_OFFSET));
    if (lengthBytes < 0
        || dataLength > MAX_PROVIDER_DATA_BYTES
        || dataLength > in.remaining() - DATA_OFFSET) {
      throw new TransportException(
          "malformed region descriptor: region length "
              + lengthBytes
              + ", provider data length "
              + dataLength
              + " with "
              + (in.remaining() - DATA_OFFSET)
              + " bytes left; expected at most "
              + MAX_PROVIDER_DATA_BYTES);
    }
    byte[] data = new byte[dataLength];
    in.get(start + DATA_OFFSET, data);
    in.position(start + DATA_OFFSET + dataLength);
    return new RegionDescriptor(
        in.getLong(start + REGION_ID_OFFSET), in.getLong(start + KEY_OFFSET), lengthBytes, data);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof RegionDescriptor that
        && regionId == that.regionId
        && key == that.key
        && lengthBytes == that.lengthBytes
        && Arrays.equals(providerData, that.providerData);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(regionId) * 31 + Long.hashCode(key);
  }

  @Override
  public String toString() {
    return "region " + regionId + " of " + lengthBytes + " bytes";
  }
}
