package io.sluice.node.service;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import org.junit.jupiter.api.Tag;

/** The same, where segments are passed over the socket. */
@Tag("slow")
class InterruptedTaskOverDescriptorsTest extends InterruptedTaskTest {
  @Override
  protected SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
