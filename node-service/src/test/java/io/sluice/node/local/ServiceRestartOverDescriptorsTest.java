package io.sluice.node.local;

/** The same, where what a task writes to was passed to it, with the lock on its record. */
class ServiceRestartOverDescriptorsTest extends ServiceRestartTest {
  @Override
  Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
