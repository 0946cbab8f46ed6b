package io.sluice.rdma.transport.tcp;

import io.sluice.rdma.threads.DaemonThreads;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;

/** Any number of peers that welcome a client and then answer nothing. */
final class SilentPeers implements AutoCloseable {
  private static final long END_LIMIT_MS = 120_000;

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new ArrayList<>(); // of the thread, then of who closes
  private final Thread thread = new Thread(this::welcome, "silent-peers");

  SilentPeers() throws IOException {
    thread.setDaemon(true);
    thread.start();
  }

  private void welcome() {
    try {
      while (true) {
        Socket socket = listener.accept();
        sockets.add(socket);
        new DataInputStream(socket.getInputStream()).skipNBytes(TcpProtocol.HELLO_BYTES);
        ScriptedServer.welcome(new DataOutputStream(socket.getOutputStream()));
      }
    } catch (IOException e) {
      // the test has closed this
    }
  }

  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  @Override
  public void close() throws IOException {
    listener.close();
    DaemonThreads.awaitEnd(thread, END_LIMIT_MS);
    for (Socket socket : sockets) {
      socket.close();
    }
  }
}
