package io.sluice.node.service;

import io.sluice.node.socket.SocketClient.SegmentAccess;

/** The same, where segments are passed over the socket. */
class ServiceRestartOverDescriptorsTest extends ServiceRestartTest {
  @Override
  protected SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
