package io.sluice.node.local;

/** The same, where segments are passed over the socket. */
class LocalServerOverDescriptorsTest extends LocalServerTest {
  @Override
  Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
