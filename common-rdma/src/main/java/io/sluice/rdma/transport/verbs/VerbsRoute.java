package io.sluice.rdma.transport.verbs;

import java.nio.ByteBuffer;

/**
 * How packets get to the peer's port. On Ethernet they always carry the GIDs of both ports, in a
 * global route header (GRH). On InfiniBand the LID suffices, unless one of the two ports demands
 * the header, or a router is between them. Both ends come to the same result.
 *
 * <p>A router is reached by a LID of the sender's own subnet. The subnet managers of routed subnets
 * put it into the GIDs of ports, and all ports of a subnet use it to get to that GID:
 *
 * <pre>
 *   0           4                6           8                   16
 *   +-----------+----------------+-----------+-------------------+
 *   | fec0:0000 | forwarding LID | subnet    | port              |
 *   +-----------+----------------+-----------+-------------------+
 * </pre>
 *
 * <p>Thread contract: immutable.
 *
 * @param needsGrh whether packets carry a global route header
 * @param lid where they go on InfiniBand
 */
record VerbsRoute(boolean needsGrh, int lid) {
  private static final int ROUTED_PREFIX = 0xFEC00000;
  private static final int FORWARDING_LID_OFFSET = Integer.BYTES;
  private static final long FORWARDING_LID_MASK = 0xFFFF_0000L;

  /** The route from a port to a queue pair. */
  static VerbsRoute between(VerbsPort local, QueuePairAddress remote) {
    if (!local.state().infiniband()) {
      return new VerbsRoute(true, remote.lid());
    }
    if (subnet(local.gid().bytes()) == subnet(remote.gid())) {
      return new VerbsRoute(local.state().needsGrh() || remote.needsGrh(), remote.lid());
    }
    int forwarding = forwardingLid(remote.gid());
    return new VerbsRoute(true, forwarding == 0 ? remote.lid() : forwarding);
  }

  /** The LID by which other subnets reach the owner of a GID; 0 if it has none. */
  static int forwardingLid(byte[] gid) {
    ByteBuffer bytes = ByteBuffer.wrap(gid);
    return bytes.getInt(0) == ROUTED_PREFIX
        ? Short.toUnsignedInt(bytes.getShort(FORWARDING_LID_OFFSET))
        : 0;
  }

  /** The prefix of a GID without the forwarding LID, which differs within a subnet. */
  private static long subnet(byte[] gid) {
    long prefix = ByteBuffer.wrap(gid).getLong(0);
    return forwardingLid(gid) == 0 ? prefix : prefix & ~FORWARDING_LID_MASK;
  }
}
