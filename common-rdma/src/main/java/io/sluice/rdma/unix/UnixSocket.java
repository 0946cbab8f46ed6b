package io.sluice.rdma.unix;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.NativeCalls;
import io.sluice.rdma.unix.NativeSocket.LibcSockets;
import io.sluice.rdma.unix.NativeSocket.SocketAddresses;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A connected stream over which open files can be passed ({@code SCM_RIGHTS}). The JDK's own
 * sockets cannot do that, and do not expose the descriptor that native code would need.
 *
 * <p>Descriptors arrive with the first byte that was sent with them. The kernel may deliver that
 * byte together with bytes sent before, but never with later ones. So a receiver that expects
 * descriptors reads exactly to the byte before, and then that byte.
 *
 * <p>Thread contract: one thread sends and receives; {@link #close} may come from any. Ownership:
 * the caller that opened or accepted it closes it, and the descriptors that it receives. Failure:
 * {@link ClosedByInterruptException} with the flag set if an interrupt ends it, {@link
 * AsynchronousCloseException} if a close does, {@link LostDescriptorsException}, another {@link
 * IOException} if the peer is gone.
 */
public final class UnixSocket extends NativeSocket {
  /** The most descriptors in one send. */
  public static final int MAX_DESCRIPTORS = MessageLayout.MAX_DESCRIPTORS;

  private static final int CREDENTIALS_BYTES = 12;
  private static final long QUEUE_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private UnixSocket(Descriptor descriptor, Interrupts interrupts) {
    super(descriptor, interrupts == Interrupts.END_IT, MessageLayout.BYTES);
  }

  /** The effect of an interrupt on a thread that waits. */
  public enum Interrupts {
    /** The interrupt closes the socket: for the connection of one thread. */
    END_IT,
    /**
     * The interrupt only sets the flag, and the wait goes on: for a connection that threads share.
     */
    WAIT
  }

  /**
   * Connects to the listener at a path. If the listener's queue is full, the kernel refuses at once
   * and sends no event later, so this tries again until the deadline.
   *
   * @param deadlineNs of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   */
  public static UnixSocket connect(Path path, Interrupts interrupts, long deadlineNs)
      throws IOException {
    Descriptor descriptor = create();
    try {
      byte[] address = SocketAddresses.of(path);
      while (!tryConnect(descriptor, address, path)) {
        if (System.nanoTime() - deadlineNs > 0 && deadlineNs != Long.MAX_VALUE) {
          throw new IOException("no place in the queue of " + path + " in time");
        }
        LockSupport.parkNanos(QUEUE_PAUSE_NS);
        if (interrupts == Interrupts.END_IT && Thread.currentThread().isInterrupted()) {
          throw new ClosedByInterruptException();
        }
      }
      return new UnixSocket(descriptor, interrupts);
    } catch (IOException | RuntimeException | Error e) {
      descriptor.close();
      throw e;
    }
  }

  private static boolean tryConnect(Descriptor descriptor, byte[] address, Path path)
      throws IOException {
    try {
      LibcSockets.connect(descriptor.number(), address, address.length);
      return true;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == LibcSockets.EAGAIN) {
        return false;
      }
      throw NativeCalls.failure("connect to " + path, e);
    }
  }

  /** Takes over an accepted socket. */
  static UnixSocket accepted(Descriptor descriptor) throws IOException {
    try {
      return new UnixSocket(descriptor, Interrupts.END_IT);
    } catch (RuntimeException | Error e) {
      descriptor.close();
      throw e;
    }
  }

  /** The user and process at the other end. */
  public PeerCredentials peer() throws IOException {
    byte[] bytes = new byte[CREDENTIALS_BYTES];
    try {
      call(
          (descriptor, none) ->
              LibcSockets.getsockopt(
                  descriptor,
                  LibcSockets.SOL_SOCKET,
                  LibcSockets.SO_PEERCRED,
                  bytes,
                  new int[] {CREDENTIALS_BYTES}));
    } catch (LastErrorException e) {
      throw NativeCalls.failure("ask who the peer is", e);
    }
    ByteBuffer credentials = ByteBuffer.wrap(bytes).order(ByteOrder.nativeOrder());
    return new PeerCredentials(credentials.getInt(), credentials.getInt(), credentials.getInt());
  }

  /**
   * Sends a part of {@code source}, at least a byte, together with {@code descriptors}, which the
   * caller still owns.
   *
   * @param deadlineNs of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return false if the deadline has passed and nothing was sent
   */
  public boolean send(ByteBuffer source, List<Descriptor> descriptors, long deadlineNs)
      throws IOException {
    if (!source.hasRemaining() || descriptors.size() > MAX_DESCRIPTORS) {
      throw new IllegalArgumentException(
          source.remaining()
              + " bytes with "
              + descriptors.size()
              + " descriptors, expected one or more and at most "
              + MAX_DESCRIPTORS);
    }
    while (true) {
      try {
        long n =
            call(
                (descriptor, message) -> {
                  MessageLayout.putData(message, source);
                  MessageLayout.putDescriptors(message, descriptors);
                  return LibcSockets.sendmsg(descriptor, message, LibcSockets.MSG_NOSIGNAL);
                });
        source.position(source.position() + (int) n);
        return true;
      } catch (LastErrorException e) {
        if (e.getErrorCode() == LibcSockets.ETOOMANYREFS) {
          throw new TooManyInFlightException(e);
        }
        if (e.getErrorCode() != LibcSockets.EAGAIN) {
          throw NativeCalls.failure("send", e);
        }
      }
      if (!await(LibcSockets.POLLOUT, deadlineNs)) {
        return false;
      }
    }
  }

  /** The bytes and descriptors that are sent but not received; the caller closes it. */
  public SentQueue sentQueue() throws IOException {
    return new SentQueue(duplicate());
  }

  /** Receives some bytes; fails if the peer passes descriptors. */
  public int receive(ByteBuffer into, long deadlineNs) throws IOException {
    return receive(into, null, deadlineNs);
  }

  /**
   * Receives some bytes.
   *
   * @param descriptors takes the descriptors that come with the first byte; null if none are
   *     expected
   * @return the number of bytes; 0 if the deadline has passed, -1 at the end of the stream
   */
  public int receive(ByteBuffer into, List<Descriptor> descriptors, long deadlineNs)
      throws IOException {
    while (true) {
      if (!await(LibcSockets.POLLIN, deadlineNs)) {
        return 0;
      }
      try {
        return call((descriptor, message) -> receive(descriptor, message, into, descriptors));
      } catch (LastErrorException e) {
        if (e.getErrorCode() != LibcSockets.EAGAIN) {
          throw NativeCalls.failure("receive", e);
        }
      }
    }
  }

  private static int receive(
      int descriptor, ByteBuffer message, ByteBuffer into, List<Descriptor> descriptors)
      throws IOException {
    MessageLayout.expectData(message, into.remaining());
    if (descriptors != null) {
      MessageLayout.expectDescriptors(message);
    }
    int n = (int) LibcSockets.recvmsg(descriptor, message, LibcSockets.MSG_CMSG_CLOEXEC);
    List<Descriptor> received = MessageLayout.takeDescriptors(message);
    if (MessageLayout.isControlCut(message)) {
      Closer.all(received);
      throw new LostDescriptorsException(
          descriptors == null
              ? "the peer has passed open files, which were not expected"
              : "not all open files that the peer has passed could be received, "
                  + received.size()
                  + " could; raise the limit on open files (ulimit -n) if that is the cause");
    }
    if (n == 0) {
      return -1;
    }
    MessageLayout.takeData(message, into, n);
    if (descriptors != null) {
      descriptors.addAll(received);
    }
    return n;
  }

  /**
   * The process and user at the other end of a Unix socket, as recorded by the kernel when that
   * process connected or began to listen. Ids are unsigned.
   *
   * @param pid the process; 0 if it lies in another pid namespace
   * @param uid its user; 65534 (nobody) if the user is not known in this user namespace
   * @param gid its group
   */
  public record PeerCredentials(int pid, int uid, int gid) {}

  /** Not all descriptors that the peer passed could be received; none of them is open here. */
  public static final class LostDescriptorsException extends IOException {
    private static final long serialVersionUID = 1L;

    LostDescriptorsException(String message) {
      super(message);
    }
  }

  /**
   * This user has more open files in flight, sent but not received, than its limit on open files
   * ({@code ulimit -n}). Nothing was sent; the caller can try again later.
   */
  public static final class TooManyInFlightException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyInFlightException(Throwable cause) {
      super("too many open files are in flight and not received yet", cause);
    }
  }

  /**
   * The bytes and descriptors that were sent over a {@link UnixSocket} and not received yet. Such
   * descriptors count against the sender's limit, even after it has closed the socket; so this can
   * outlive the socket.
   *
   * <p>Thread contract: safe from any thread, but none may use it once another closes it.
   * Ownership: the caller that asked the socket for it closes it. Until then the peer sees no end
   * of the connection, except after {@link #endConnection}. Failure: {@link IOException} with the
   * system's text.
   */
  public static final class SentQueue implements Closeable {
    private final Descriptor socket;

    /** Takes over a duplicate of the socket. */
    SentQueue(Descriptor socket) {
      this.socket = socket;
    }

    /**
     * The kernel's memory for unreceived data; 0 once the peer has received all or has closed its
     * end.
     */
    public int untakenBytes() throws IOException {
      int[] bytes = new int[1];
      try {
        LibcSockets.ioctl(socket.number(), LibcSockets.SIOCOUTQ, bytes);
      } catch (LastErrorException e) {
        throw NativeCalls.failure("ask what a peer has not received", e);
      }
      return bytes[0];
    }

    /** Ends the connection: the peer receives what was sent, and then sees the end. */
    public void endConnection() {
      try {
        LibcSockets.shutdown(socket.number(), LibcSockets.SHUT_RDWR);
      } catch (LastErrorException e) {
        // ENOTCONN: the peer is gone
      }
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
