package io.sluice.node.socket;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;

/** A process that sends one message and prints the answer; it needs no class but those of Java. */
final class BareTask {
  private BareTask() {}

  /** Takes the socket's path and the message in hexadecimal. */
  public static void main(String[] args) throws IOException {
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      try {
        channel.connect(UnixDomainSocketAddress.of(args[0]));
      } catch (IOException e) {
        System.out.print("cannot connect");
        return;
      }
      byte[] message = HexFormat.of().parseHex(args[1]);
      ByteBuffer frame = ByteBuffer.allocate(4 + message.length);
      channel.write(frame.putInt(message.length).put(message).flip());
      ByteBuffer answer = ByteBuffer.allocate(4096);
      while (channel.read(answer) > 0) {}
      System.out.print(new String(answer.array(), 0, answer.position(), StandardCharsets.UTF_8));
    }
  }
}
