package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.verbs.Verbs.PortState;

/**
 * A port of a device, and the GID of it by which a connection goes.
 *
 * <p>Thread contract: immutable.
 *
 * @param number the number at its device, from 1
 * @param gidIndex the index of the GID; 0 on InfiniBand, which goes by LID
 * @param gid the GID of 16 bytes, in network order; must not be changed
 */
record VerbsPort(VerbsDevice device, int number, PortState state, int gidIndex, byte[] gid) {
  @Override
  public String toString() {
    return "port " + number + " of " + device;
  }
}
