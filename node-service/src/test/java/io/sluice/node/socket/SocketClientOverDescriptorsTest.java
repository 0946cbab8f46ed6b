package io.sluice.node.socket;

import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Listener;
import io.sluice.rdma.unix.UnixListener;
import java.io.IOException;

/** The same task, to whom segments are passed. */
class SocketClientOverDescriptorsTest extends SocketClientTest {
  @Override
  SegmentAccess access() {
    return SegmentAccess.DESCRIPTORS;
  }

  @Override
  Listener listener() throws IOException {
    return new Listener.OfSocket(UnixListener.bind(socket(), 10));
  }
}
