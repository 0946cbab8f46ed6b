package io.sluice.node.local;

import io.sluice.node.wire.Listener;
import io.sluice.node.wire.UnixListening;
import io.sluice.rdma.unix.UnixListener;
import java.io.IOException;

/** The same task, to whom segments are passed. */
class LocalClientOverDescriptorsTest extends LocalClientTest {
  @Override
  Handout handout() {
    return Handout.DESCRIPTORS;
  }

  @Override
  Listener listener() throws IOException {
    return new UnixListening(UnixListener.bind(socket(), 10));
  }
}
