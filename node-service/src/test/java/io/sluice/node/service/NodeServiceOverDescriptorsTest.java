package io.sluice.node.service;

import io.sluice.node.local.Handout;
import org.junit.jupiter.api.Tag;

/** The same, where segments are passed over the socket. */
@Tag("slow")
class NodeServiceOverDescriptorsTest extends NodeServiceTest {
  @Override
  protected Handout handout() {
    return Handout.DESCRIPTORS;
  }
}
