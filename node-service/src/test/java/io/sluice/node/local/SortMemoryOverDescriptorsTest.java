package io.sluice.node.local;

/** The same, where segments are passed over the socket. */
class SortMemoryOverDescriptorsTest extends SortMemoryTest {
  @Override
  Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
