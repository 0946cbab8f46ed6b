package io.sluice.node.wire;

import io.sluice.rdma.unix.UnixSocket;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;

class UnixStreamTest extends UnixChannelTest {
  @Override
  MessageStream connect(SocketAddress address, long timeoutMs) throws IOException {
    return UnixStream.connect(
        ((UnixDomainSocketAddress) address).getPath(), UnixSocket.Interrupts.END_IT, timeoutMs);
  }
}
