package io.sluice.node.faults;

import io.sluice.node.socket.SocketClient.SegmentAccess;

/** The same, where segments are passed over the socket. */
class QuarantineFaultsOverDescriptorsTest extends QuarantineFaultsTest {
  @Override
  protected SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
