package io.sluice.node.local;

/** The same, where segments are passed over the socket. */
class SortGrantsOverDescriptorsTest extends SortGrantsTest {
  @Override
  Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
