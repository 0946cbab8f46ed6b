package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;

/** The same, where segments are passed over the socket. */
class SortGrantsOverDescriptorsTest extends SortGrantsTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
