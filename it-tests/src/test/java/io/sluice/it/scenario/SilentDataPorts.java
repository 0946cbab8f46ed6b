package io.sluice.it.scenario;

import io.sluice.rdma.memory.Closer;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A firewall in front of a node's service that lets its control port pass and drops its data ports.
 *
 * <p>It has the control port, so that the service listens 1,000 ports further on, and passes on
 * what both say. But where the service says that its data ports are there, the reader is told of a
 * {@link SilentPort} instead.
 *
 * <p>Connections have threads of their own, which end with them. Whoever makes it closes it, and
 * with it all connections, one that is just coming about too.
 */
final class SilentDataPorts implements AutoCloseable {
  private static final int FURTHER_ON = 1_000;
  private static final int DATA_PORTS = 3;

  private final ServerSocket control;
  private final SilentPort silent;
  private final int port;
  private final List<Socket> sockets = new ArrayList<>();
  private final AtomicInteger answers = new AtomicInteger();
  private final Thread accepting;
  private boolean closed; // under the lock of sockets, as they

  SilentDataPorts(int controlPort) throws IOException {
    port = controlPort;
    control = new ServerSocket(controlPort);
    try {
      silent = new SilentPort(controlPort + 1);
    } catch (IOException e) {
      control.close();
      throw e;
    }
    accepting = start("readers of " + controlPort, this::accept);
  }

  /** How often a reader was told where the data ports are. */
  int answers() {
    return answers.get();
  }

  private interface Work {
    void run() throws IOException;
  }

  /** What fails there has lost its connection, as both its ends see. */
  private static Thread start(String name, Work work) {
    Thread thread =
        new Thread(
            () -> {
              try {
                work.run();
              } catch (IOException closed) {
                return;
              }
            },
            name);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private void awaitAccepting() throws IOException {
    try {
      accepting.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("the firewall still accepts");
    }
  }

  private void accept() throws IOException {
    while (true) {
      Socket reader = control.accept();
      own(reader);
      start("reader " + reader.getPort(), () -> serve(reader));
    }
  }

  /**
   * It is closed with this.
   *
   * @throws SocketException if this was closed before: it is closed, too
   */
  void own(Socket socket) throws IOException {
    synchronized (sockets) {
      if (!closed) {
        sockets.add(socket);
        return;
      }
    }
    socket.close();
    throw new SocketException("the firewall is gone");
  }

  private void serve(Socket reader) throws IOException {
    try (reader;
        Socket service = new Socket(InetAddress.getLoopbackAddress(), port + FURTHER_ON)) {
      own(service);
      start("requests of " + reader.getPort(), () -> requests(reader, service));
      answers(service.getInputStream(), reader.getOutputStream());
    }
  }

  private static void requests(Socket reader, Socket service) throws IOException {
    try (service) {
      reader.getInputStream().transferTo(service.getOutputStream());
    }
  }

  /** Each is an int32 length and that many bytes. */
  private void answers(InputStream service, OutputStream reader) throws IOException {
    while (true) {
      byte[] length = service.readNBytes(Integer.BYTES);
      if (length.length < Integer.BYTES) {
        return;
      }
      byte[] answer = service.readNBytes(ByteBuffer.wrap(length).getInt());
      hide(ByteBuffer.wrap(answer));
      reader.write(length);
      reader.write(answer);
      reader.flush();
    }
  }

  /** The only int32 of an answer that is a data port by more than chance. */
  private void hide(ByteBuffer answer) {
    for (int at = 0; at <= answer.capacity() - Integer.BYTES; at++) {
      int value = answer.getInt(at) - port - FURTHER_ON;
      if (value >= 1 && value <= DATA_PORTS) {
        answer.putInt(at, port + 1);
        answers.incrementAndGet();
      }
    }
  }

  /** The ports are free when it returns: a port is taken until the thread that accepts is back. */
  @Override
  public void close() throws IOException {
    List<Closeable> all = new ArrayList<>();
    all.add(control);
    all.add(this::awaitAccepting);
    all.add(silent::close);
    synchronized (sockets) {
      closed = true;
      all.addAll(sockets);
    }
    Closer.all(all);
  }
}
