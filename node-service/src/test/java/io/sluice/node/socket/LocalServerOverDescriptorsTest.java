package io.sluice.node.socket;

/** The same, where segments are passed over the socket. */
class LocalServerOverDescriptorsTest extends SocketServerTest {
  @Override
  SegmentAccess handout() {
    return SegmentAccess.DESCRIPTORS;
  }
}
