package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;

/** The same, where what a task writes to was passed to it, with the lock on its record. */
class ServiceRestartOverDescriptorsTest extends ServiceRestartTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
