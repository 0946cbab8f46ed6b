package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;

/** The same, where segments are passed over the socket. */
class SortMemoryOverDescriptorsTest extends SortMemoryTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
