package io.sluice.node.remote;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/**
 * Lies on the way of one connection to a server, passes both directions on, and keeps what the
 * client sends.
 *
 * <p>Thread contract: one thread beside its own two, which end with the connection. Ownership: the
 * test closes it. Failure: an {@link AssertionError} where the connection does not end in time.
 */
final class Eavesdropper implements AutoCloseable {
  private final ServerSocket listener;
  private final InetSocketAddress server;
  private final long timeoutMs;
  private final ByteArrayOutputStream sent = new ByteArrayOutputStream(); // read after its thread
  private final Thread way = new Thread(this::pass, "eavesdropper");

  /** Waits for one client, on a free port. */
  Eavesdropper(InetSocketAddress server, long timeoutMs) throws IOException {
    this.server = server;
    this.timeoutMs = timeoutMs;
    this.listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    way.start();
  }

  /** Where the client connects to. */
  InetSocketAddress address() {
    return (InetSocketAddress) listener.getLocalSocketAddress();
  }

  private void pass() {
    try (Socket client = listener.accept();
        Socket passed = new Socket(server.getAddress(), server.getPort())) {
      Thread back = new Thread(() -> copyAnswers(passed, client), "eavesdropper-back");
      back.start();
      byte[] bytes = new byte[8192];
      InputStream in = client.getInputStream();
      for (int n = in.read(bytes); n >= 0; n = in.read(bytes)) {
        sent.write(bytes, 0, n);
        passed.getOutputStream().write(bytes, 0, n);
      }
      passed.shutdownOutput();
      back.join(timeoutMs);
    } catch (IOException | InterruptedException e) {
      // The test sees too little of what was sent, or its client fails.
    }
  }

  private static void copyAnswers(Socket from, Socket to) {
    try (InputStream in = from.getInputStream();
        OutputStream out = to.getOutputStream()) {
      in.transferTo(out);
    } catch (IOException e) {
      // As above.
    }
  }

  /** All that the client has sent, once it has hung up. */
  byte[] sent() throws InterruptedException {
    way.join(timeoutMs);
    if (way.isAlive()) {
      throw new AssertionError("the connection does not end");
    }
    return sent.toByteArray();
  }

  @Override
  public void close() throws IOException {
    listener.close();
  }
}
