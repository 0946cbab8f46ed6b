package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.text.ErrorText;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * How a server's connections use the network, and how it registers memory. A client needs no
 * settings: the server sends its own to each client that connects. Encoded, big-endian:
 *
 * <pre>
 *   0               1               2              3             4               6          8
 *   +---------------+---------------+--------------+-------------+---------------+----------+
 *   | traffic class | service level | timeout code | retry count | partition key | MTU      |
 *   +---------------+---------------+--------------+-------------+---------------+----------+
 * </pre>
 *
 * <p>Thread contract: immutable.
 *
 * @param trafficClass of the packets on RoCE: the DSCP times 4, plus the two bits of ECN
 * @param serviceLevel of the packets; on RoCE the priority in a VLAN
 * @param partitionKey of 16 bits; {@link #DEFAULT_PARTITION_KEY} takes the one at index 0
 * @param timeoutCode how long a NIC waits for an answer before it repeats a request: 4.096 us times
 *     2 to the power of this; 0 for no limit
 * @param retryCount how often it repeats a request before the connection ends
 * @param mtuBytes most bytes of a packet, if both ports allow as many; 0 for what they allow
 * @param onDemandPaging whether the server's memory is not pinned where the device can do that; not
 *     sent to clients
 */
public record VerbsNetwork(
    int trafficClass,
    int serviceLevel,
    int partitionKey,
    int timeoutCode,
    int retryCount,
    int mtuBytes,
    boolean onDemandPaging) {
  /** The highest {@link #trafficClass}. */
  public static final int MAX_TRAFFIC_CLASS = 255;

  /** The highest {@link #serviceLevel}. */
  public static final int MAX_SERVICE_LEVEL = 15;

  /** The highest {@link #partitionKey}. */
  public static final int MAX_PARTITION_KEY = 0xFFFF;

  /** The highest {@link #timeoutCode}. */
  public static final int MAX_TIMEOUT_CODE = 31;

  /** The highest {@link #retryCount}. */
  public static final int MAX_RETRY_COUNT = 7;

  /** Stands for whatever key a port has at index 0. */
  public static final int DEFAULT_PARTITION_KEY = 0xFFFF;

  /**
   * A timeout of about 1 s, and all repetitions: a connection survives an interruption of some
   * seconds.
   */
  public static final VerbsNetwork DEFAULT =
      new VerbsNetwork(0, 0, DEFAULT_PARTITION_KEY, 18, MAX_RETRY_COUNT, 0, false);

  static final int BYTES = 8;

  private static final int MIN_MTU_BYTES = 256;
  private static final int MAX_MTU_BYTES = 4096;

  /**
   * Checks the values.
   *
   * @throws IllegalArgumentException if one is out of its range
   */
  public VerbsNetwork {
    check("traffic class", trafficClass, MAX_TRAFFIC_CLASS);
    check("service level", serviceLevel, MAX_SERVICE_LEVEL);
    check("partition key", partitionKey, MAX_PARTITION_KEY);
    check("timeout code", timeoutCode, MAX_TIMEOUT_CODE);
    check("retry count", retryCount, MAX_RETRY_COUNT);
    if (mtuBytes != 0
        && (mtuBytes < MIN_MTU_BYTES
            || mtuBytes > MAX_MTU_BYTES
            || Integer.bitCount(mtuBytes) != 1)) {
      throw new IllegalArgumentException(
          "MTU is " + mtuBytes + " bytes, expected 256, 512, 1024, 2048, 4096, or 0 for any");
    }
  }

  private static void check(String what, int value, int max) {
    if (value < 0 || value > max) {
      throw new IllegalArgumentException(what + " is " + value + ", expected 0 to " + max);
    }
  }

  /** The code of the MTU between two ports, by the codes of theirs. */
  int mtuCode(int local, int remote) {
    int mtu = Math.min(local, remote);
    return mtuBytes == 0 ? mtu : Math.min(mtu, code(mtuBytes));
  }

  /** {@code enum ibv_mtu}: 1 for 256 bytes, 2 for 512, and so on. */
  private static int code(int bytes) {
    return 1 + Integer.numberOfTrailingZeros(bytes / MIN_MTU_BYTES);
  }

  void encode(ByteBuffer to) {
    to.put((byte) trafficClass).put((byte) serviceLevel).put((byte) timeoutCode);
    to.put((byte) retryCount).putShort((short) partitionKey).putShort((short) mtuBytes);
  }

  /** Decodes what a server sent. */
  static VerbsNetwork decode(ByteBuffer from) throws IOException {
    int trafficClass = Byte.toUnsignedInt(from.get());
    int serviceLevel = Byte.toUnsignedInt(from.get());
    int timeoutCode = Byte.toUnsignedInt(from.get());
    int retryCount = Byte.toUnsignedInt(from.get());
    int partitionKey = Short.toUnsignedInt(from.getShort());
    int mtuBytes = Short.toUnsignedInt(from.getShort());
    try {
      return new VerbsNetwork(
          trafficClass, serviceLevel, partitionKey, timeoutCode, retryCount, mtuBytes, false);
    } catch (IllegalArgumentException e) {
      throw new IOException("malformed settings of the network: " + ErrorText.of(e), e);
    }
  }
}
