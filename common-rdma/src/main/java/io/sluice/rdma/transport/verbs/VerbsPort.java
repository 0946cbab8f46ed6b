package io.sluice.rdma.transport.verbs;

import io.sluice.rdma.transport.verbs.GidTable.Gid;
import io.sluice.rdma.transport.verbs.Verbs.PortState;
import java.io.IOException;

/**
 * A port of a device, and the GID of it by which a connection goes.
 *
 * <p>Thread contract: immutable.
 *
 * @param number the number at its device, from 1
 */
record VerbsPort(VerbsDevice device, int number, PortState state, Gid gid) {
  /**
   * The index of a partition key at this port.
   *
   * @throws IOException if the port is in no such partition
   */
  int partitionIndex(int key) throws IOException {
    return device
        .partitions(number)
        .find(key)
        .orElseThrow(() -> new IOException(this + " does not have " + PartitionTable.missing(key)));
  }

  @Override
  public String toString() {
    return "port " + number + " of " + device + " (" + gid.kind() + ")";
  }
}
