package io.sluice.node.wire;

import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;

class UnixChannelTest extends ChannelContractTest {
  @Override
  ServerSocketChannel listener(int backlog) throws IOException {
    Files.deleteIfExists(directory.resolve("s"));
    return ChannelPair.unixListener(directory, backlog);
  }

  @Override
  Class<? extends IOException> queueFull() {
    return ConnectException.class;
  }
}
