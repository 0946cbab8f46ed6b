package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;

/** The same, where tasks are handed the lock on their records. */
class LeaseRecordsOverDescriptorsTest extends LeaseRecordsTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
