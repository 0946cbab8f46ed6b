package io.sluice.node.wire;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.rdma.unix.UnixSocket.LostDescriptorsException;
import io.sluice.rdma.unix.UnixSocket.PeerCredentials;
import io.sluice.rdma.unix.UnixSocket.SentQueue;
import io.sluice.rdma.unix.UnixSocket.TooManyInFlightException;
import io.sluice.rdma.unix.UserNames;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * A {@link MessageStream} over a socket of system calls: like a {@link DeadlineChannel}, but open
 * files can be passed over it, and it costs its process the loading of JNA.
 *
 * <p>Thread contract, ownership, failure: those of {@link MessageStream}; {@link ConnectException}
 * when nobody listens.
 */
public final class UnixStream implements MessageStream {
  private final UnixSocket socket;
  private final String peer;
  private final PeerCredentials credentials;

  private UnixStream(UnixSocket socket, String at) throws IOException {
    this.socket = socket;
    try {
      this.credentials = socket.peer();
    } catch (IOException | RuntimeException | Error e) {
      socket.close();
      throw e;
    }
    this.peer = at + "process " + credentials.pid();
  }

  /** Connects to the process that listens at a path, within {@code timeoutMs}. */
  public static UnixStream connect(Path path, UnixSocket.Interrupts interrupts, long timeoutMs)
      throws IOException {
    UnixSocket socket;
    try {
      socket = UnixSocket.connect(path, interrupts, deadlineNs(timeoutMs));
    } catch (ClosedByInterruptException e) {
      InterruptedIOException failure =
          new InterruptedIOException("interrupted while connecting to " + path);
      failure.initCause(e);
      throw failure;
    } catch (IOException e) {
      ConnectException failure = new ConnectException(ErrorText.of(e));
      failure.initCause(e);
      throw failure;
    }
    return new UnixStream(socket, path + ", ");
  }

  /** Takes over an accepted socket. */
  static UnixStream accepted(UnixSocket socket) throws IOException {
    return new UnixStream(socket, "");
  }

  @Override
  public String peer() {
    return peer;
  }

  @Override
  public Optional<InetAddress> peerAddress() {
    return Optional.empty();
  }

  @Override
  public String peerUser() throws IOException {
    return UserNames.nameOf(credentials.uid());
  }

  @Override
  public Optional<PeerCredentials> credentials() {
    return Optional.of(credentials);
  }

  @Override
  public SentQueue sentQueue() throws IOException {
    return socket.sentQueue();
  }

  @Override
  public void readFully(ByteBuffer dst, long timeoutMs) throws IOException {
    read(dst, null, timeoutMs);
  }

  @Override
  public List<Descriptor> readWithDescriptors(ByteBuffer dst, long timeoutMs) throws IOException {
    List<Descriptor> received = new ArrayList<>();
    try {
      read(dst, received, timeoutMs);
      return received;
    } catch (IOException | RuntimeException | Error e) {
      Closer.all(received);
      throw e;
    }
  }

  private void read(ByteBuffer dst, List<Descriptor> received, long timeoutMs) throws IOException {
    long deadlineNs = deadlineNs(timeoutMs);
    int wantedBytes = dst.remaining();
    List<Descriptor> into = received; // of the first bytes
    while (dst.hasRemaining()) {
      int n;
      try {
        n = socket.receive(dst, into, deadlineNs);
      } catch (LostDescriptorsException e) {
        throw new ProtocolException("of " + peer + ": " + e.getMessage());
      } catch (IOException e) {
        throw lost("reading", e);
      }
      if (n == 0) {
        throw late("reading", timeoutMs);
      }
      if (n < 0) {
        throw socket.isOpen()
            ? new EOFException(
                "peer %s closed the connection after %s of %s bytes"
                    .formatted(peer, wantedBytes - dst.remaining(), wantedBytes))
            : closedHere();
      }
      into = null;
    }
  }

  @Override
  public void writeFully(ByteBuffer src, long timeoutMs) throws IOException {
    writeFully(src, List.of(), timeoutMs);
  }

  @Override
  public void writeFully(ByteBuffer src, List<Descriptor> descriptors, long timeoutMs)
      throws IOException {
    long deadlineNs = deadlineNs(timeoutMs);
    List<Descriptor> riding = descriptors; // on the first bytes
    while (src.hasRemaining()) {
      boolean sent;
      try {
        sent = socket.send(src, riding, deadlineNs);
      } catch (TooManyInFlightException e) {
        throw e;
      } catch (IOException e) {
        throw lost("writing", e);
      }
      if (!sent) {
        throw late("writing", timeoutMs);
      }
      riding = List.of();
    }
  }

  private IOException late(String doing, long timeoutMs) {
    return new SocketTimeoutException(
        "no progress while " + doing + " with " + peer + " within " + timeoutMs + " ms");
  }

  private IOException lost(String doing, IOException cause) {
    IOException failure;
    if (cause instanceof ClosedByInterruptException) {
      failure = new InterruptedIOException("interrupted while " + doing + " with " + peer);
    } else if (!socket.isOpen()) {
      failure = closedHere();
    } else {
      failure =
          new EOFException(
              "peer " + peer + " went away while " + doing + ": " + ErrorText.of(cause));
    }
    failure.initCause(cause);
    return failure;
  }

  private IOException closedHere() {
    return new EOFException("the connection to " + peer + " was closed on this side");
  }

  private static long deadlineNs(long timeoutMs) {
    return timeoutMs == NO_TIMEOUT
        ? Long.MAX_VALUE
        : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
