package io.sluice.node.local;

/** The same, where tasks are handed the lock on their records. */
class LeaseRecordsOverDescriptorsTest extends LeaseRecordsTest {
  @Override
  Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
