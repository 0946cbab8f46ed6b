package io.sluice.node.socket;

/** The same, where tasks are handed the lock on their records. */
class LeaseRecordsOverDescriptorsTest extends LeaseRecordsTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }
}
