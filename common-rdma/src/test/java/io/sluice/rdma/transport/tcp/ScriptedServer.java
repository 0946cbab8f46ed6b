package io.sluice.rdma.transport.tcp;

import static io.sluice.rdma.transport.tcp.TcpProtocol.*;

import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.SilentServer;
import io.sluice.rdma.transport.support.Uninterruptibly;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** Speaks the protocol by hand, so that a test can break it wherever it likes. */
public final class ScriptedServer implements SilentServer {
  /** What to do with a connection after the hello was read. */
  interface Script {
    void run(DataInputStream in, DataOutputStream out) throws IOException;
  }

  private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final List<Socket> sockets = new CopyOnWriteArrayList<>();
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Script script;

  ScriptedServer(Script script) throws IOException {
    this.script = script;
    Thread thread = new Thread(this::serve, "scripted-server");
    thread.setDaemon(true);
    thread.start();
  }

  /** Welcomes, and says no more. */
  public static ScriptedServer silent() throws IOException {
    return new ScriptedServer(
        (in, out) -> {
          welcome(out);
          in.transferTo(DataOutputStream.nullOutputStream());
        });
  }

  static void welcome(DataOutputStream out) throws IOException {
    out.writeInt(MAGIC);
    out.writeShort(VERSION);
    out.writeShort(VERDICT_WELCOME);
  }

  /** Reads one request and returns its id. */
  static long readRequest(DataInputStream in) throws IOException {
    long requestId = in.readLong();
    in.skipNBytes(REQUEST_BYTES - Long.BYTES);
    return requestId;
  }

  static void header(DataOutputStream out, long requestId, int status, int lengthBytes)
      throws IOException {
    out.writeLong(requestId);
    out.writeInt(status);
    out.writeInt(lengthBytes);
  }

  private void serve() {
    try {
      while (true) {
        try (Socket socket = listener.accept()) {
          sockets.add(socket);
          DataInputStream in = new DataInputStream(socket.getInputStream());
          in.skipNBytes(HELLO_BYTES);
          script.run(in, new DataOutputStream(socket.getOutputStream()));
        }
      }
    } catch (IOException e) {
      // the test has closed us, or the client has
    } finally {
      ended.countDown();
    }
  }

  @Override
  public InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  @Override
  public RegionDescriptor descriptor() {
    return new RegionDescriptor(1, 1, 1 << 20, new byte[0]);
  }

  @Override
  public void close() throws IOException {
    listener.close();
    for (Socket socket : sockets) {
      socket.close();
    }
    Uninterruptibly.await(ended, 10_000);
  }
}
