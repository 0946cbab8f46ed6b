package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.verbs.GidTable.Gid;
import io.sluice.rdma.transport.verbs.Verbs.PortState;

/**
 * A port of a device, and the GID of it by which a connection goes.
 *
 * <p>Thread contract: immutable.
 *
 * @param number the number at its device, from 1
 */
record VerbsPort(VerbsDevice device, int number, PortState state, Gid gid) {
  @Override
  public String toString() {
    return "port " + number + " of " + device + " (" + gid.kind() + ")";
  }
}
