package io.sluice.node.faults;

import io.sluice.node.local.Handout;

/** The same, where segments are passed over the socket. */
class QuarantineFaultsOverDescriptorsTest extends QuarantineFaultsTest {
  @Override
  protected Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
