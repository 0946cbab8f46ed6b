package io.sluice.node.service;

import io.sluice.node.local.Handout;

/** The same, where segments are passed over the socket. */
class ServiceRestartOverDescriptorsTest extends ServiceRestartTest {
  @Override
  protected Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
