package io.sluice.rdma.unix;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.NativeCalls;
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
 * sockets cannot do that, and tell nobody the number that native code would need.
 *
 * <p>Descriptors come with the first byte of what was sent with them. The kernel may deliver that
 * byte together with bytes that were sent before, but never with any that follow; so whoever
 * expects them reads exactly to the byte before, and then that byte.
 *
 * <p>Thread contract: one thread sends and receives; {@link #close} may come from any. Ownership:
 * who opened or accepted it closes it, and the descriptors that it receives. Failure: {@link
 * ClosedByInterruptException} with the flag set where an interrupt ends it, {@link
 * AsynchronousCloseException} where a close does, {@link LostDescriptorsException}, another {@link
 * IOException} where the peer is gone.
 */
public final class UnixSocket extends NativeSocket {
  /** Descriptors that can be sent at a time. */
  public static final int MAX_DESCRIPTORS = MessageLayout.MAX_DESCRIPTORS;

  private static final int CREDENTIALS_BYTES = 12;
  private static final long QUEUE_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);

  private UnixSocket(Descriptor descriptor, Interrupts interrupts) {
    super(descriptor, interrupts == Interrupts.END_IT, MessageLayout.BYTES);
  }

  /** What an interrupt of the thread that waits does. */
  public enum Interrupts {
    /** The socket ends: for one thread's own conversation. */
    END_IT,
    /** Nothing but its flag, and the wait goes on: for a conversation that threads share. */
    WAIT
  }

  /**
   * Connects to whoever listens at a path. Where as many wait there as the listener lets, the
   * kernel says so at once, and nothing says when that is over: it is asked again.
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

  /** Takes over what was accepted. */
  static UnixSocket accepted(Descriptor descriptor) throws IOException {
    try {
      return new UnixSocket(descriptor, Interrupts.END_IT);
    } catch (RuntimeException | Error e) {
      descriptor.close();
      throw e;
    }
  }

  /** Who is at the other end. */
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
   * Sends some of {@code source}, at least a byte, and with it {@code descriptors}, which stay the
   * caller's.
   *
   * @param deadlineNs of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return false if the deadline has passed, and nothing was sent
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

  /** What is sent and not received; the caller closes it. */
  public SentQueue sentQueue() throws IOException {
    return new SentQueue(duplicate());
  }

  /** Receives some bytes, and no descriptors: a peer that passes any is refused. */
  public int receive(ByteBuffer into, long deadlineNs) throws IOException {
    return receive(into, null, deadlineNs);
  }

  /**
   * Receives some bytes.
   *
   * @param descriptors takes those that come with the first of them; null if none may
   * @return how many bytes came; 0 if the deadline has passed, -1 at the end of the stream
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
              ? "the peer has passed open files, which nobody asked for"
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
   * Who is at the other end of a Unix socket, as the kernel noted when that process connected or
   * began to listen. Ids are unsigned.
   *
   * @param pid its number; 0 if it lies in another namespace of processes
   * @param uid its user; that of nobody, 65534, if the user is not known in this namespace
   * @param gid its group
   */
  public record PeerCredentials(int pid, int uid, int gid) {}

  /** The peer has passed descriptors that could not all be received; none of them is open here. */
  public static final class LostDescriptorsException extends IOException {
    private static final long serialVersionUID = 1L;

    LostDescriptorsException(String message) {
      super(message);
    }
  }

  /**
   * This user has passed more open files than its limit on them ({@code ulimit -n}) that nobody has
   * received yet. Nothing was sent; it can be tried again later.
   */
  public static final class TooManyInFlightException extends IOException {
    private static final long serialVersionUID = 1L;

    TooManyInFlightException(Throwable cause) {
      super("too many open files are on their way and not received yet", cause);
    }
  }

  /**
   * What was sent over a {@link UnixSocket} and its peer has not received. Descriptors among it
   * count against the sender until then, also when the sender has closed the socket; so this can
   * outlive it.
   *
   * <p>Thread contract: safe from any thread, none of which uses it once another closes it.
   * Ownership: who asked the socket for it closes it; the peer sees no end of the connection
   * before, unless {@link #endConnection} says so. Failure: {@link IOException} with the system's
   * own words.
   */
  public static final class SentQueue implements Closeable {
    private final Descriptor socket;

    /** Takes over a duplicate of the socket. */
    SentQueue(Descriptor socket) {
      this.socket = socket;
    }

    /**
     * How much memory the kernel keeps of it: 0 once the peer has received all, or has closed its
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

    /** The peer receives what was sent, and then sees the end. */
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
