package io.sluice.rdma.transport.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * What a NIC must know of its peer's queue pair, as both sides exchange it. Encoded, big-endian:
 *
 * <pre>
 *   0        4     8     10    11     12    13      14       16         32
 *   +--------+-----+-----+-----+------+-----+-------+--------+----------+
 *   | number | psn | LID | MTU | link | GRH | reads | device | GID      |
 *   +--------+-----+-----+-----+------+-----+-------+--------+----------+
 * </pre>
 *
 * <p>Thread contract: immutable.
 *
 * @param number the queue pair's number, of 24 bits
 * @param psn the number of its first packet, of 24 bits
 * @param lid its port's address on InfiniBand
 * @param mtu the code of its port's MTU
 * @param link what its port speaks
 * @param needsGrh whether its port demands a global route header in each packet; 0 or 1
 * @param reads how many reads it may have under way, or answers, at a time
 * @param device which of its endpoint's devices it belongs to, from 0; a region has a key for each
 * @param gid its port's GID; must not be changed
 */
record QueuePairAddress(
    int number,
    int psn,
    int lid,
    int mtu,
    LinkKind link,
    boolean needsGrh,
    int reads,
    int device,
    byte[] gid) {
  static final int BYTES = 32;
  static final int GID_BYTES = 16;
  static final int MAX_NUMBER = (1 << 24) - 1;

  private static final int MAX_READS = 255; // of 8 bits in the attributes of a queue pair
  private static final int MAX_MTU = 5;
  private static final LinkKind[] LINKS = LinkKind.values();

  /** The address of a queue pair at a port. */
  static QueuePairAddress of(VerbsPort port, int number, int psn, int reads) {
    return new QueuePairAddress(
        number,
        psn,
        port.state().lid(),
        port.state().mtu(),
        port.gid().kind(),
        port.state().needsGrh(),
        Math.min(MAX_READS, reads),
        port.device().number(),
        port.gid().bytes());
  }

  void encode(ByteBuffer to) {
    to.putInt(number).putInt(psn).putShort((short) lid).put((byte) mtu);
    to.put((byte) link.ordinal()).put((byte) (needsGrh ? 1 : 0)).put((byte) reads);
    to.putShort((short) device).put(gid);
  }

  /** Decodes what a peer sent. */
  static QueuePairAddress decode(ByteBuffer from) throws IOException {
    int number = from.getInt();
    int psn = from.getInt();
    int lid = Short.toUnsignedInt(from.getShort());
    int mtu = from.get();
    int link = from.get();
    int needsGrh = from.get();
    int reads = Byte.toUnsignedInt(from.get());
    int device = Short.toUnsignedInt(from.getShort());
    byte[] gid = new byte[GID_BYTES];
    from.get(gid);
    if ((number & ~MAX_NUMBER) != 0
        || (psn & ~MAX_NUMBER) != 0
        || mtu < 1
        || mtu > MAX_MTU
        || link < 0
        || link >= LINKS.length
        || (needsGrh & ~1) != 0
        || reads < 1) {
      throw new IOException(
          ("malformed address of a queue pair: number %s, psn %s, MTU code %s, link %s, GRH %s,"
                  + " %s reads")
              .formatted(number, psn, mtu, link, needsGrh, reads));
    }
    return new QueuePairAddress(
        number, psn, lid, mtu, LINKS[link], needsGrh == 1, reads, device, gid);
  }

  @Override
  public String toString() {
    return "queue pair "
        + number
        + ", "
        + link
        + ", MTU code "
        + mtu
        + ", "
        + reads
        + " reads at a time";
  }
}
