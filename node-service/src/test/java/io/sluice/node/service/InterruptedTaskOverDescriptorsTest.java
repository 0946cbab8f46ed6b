package io.sluice.node.service;

import io.sluice.node.local.Handout;

/** The same, where segments are passed over the socket. */
class InterruptedTaskOverDescriptorsTest extends InterruptedTaskTest {
  @Override
  protected Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
