package io.sluice.node.socket;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;

/** A process that listens and prints how many bytes the first task says; only Java's classes. */
final class BareService {
  private BareService() {}

  /** Takes the socket's path. */
  public static void main(String[] args) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      listener.bind(UnixDomainSocketAddress.of(args[0]));
      System.out.println("listening");
      try (SocketChannel task = listener.accept()) {
        ByteBuffer said = ByteBuffer.allocate(4096);
        int n = task.read(said);
        System.out.println("heard " + Math.max(0, n) + " bytes");
      }
    }
  }
}
