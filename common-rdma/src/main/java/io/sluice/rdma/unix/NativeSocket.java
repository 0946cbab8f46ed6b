package io.sluice.rdma.unix;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.NativeCalls;
import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.spi.AbstractInterruptibleChannel;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Base class of Unix sockets made of system calls. It has a non-blocking descriptor, waits with a
 * deadline, and allows a close at any moment.
 *
 * <p>The kernel reuses the number of a closed descriptor. So while a call is in progress, close
 * only shuts the socket down, which ends the call's wait. The last call to leave closes the number:
 *
 * <pre>
 *  OPEN ── close, interrupt ──► SHUT (shutdown(2))  ── no call inside ──► CLOSED (close(2))
 * </pre>
 *
 * <p>Thread contract: one thread at a time makes calls; {@link #close} may come from any.
 * Ownership: the opener closes it; the memory of its calls is freed with the descriptor. Failure:
 * {@link ClosedByInterruptException} with the flag set, {@link AsynchronousCloseException}, {@link
 * ClosedChannelException} afterwards.
 */
abstract class NativeSocket extends AbstractInterruptibleChannel {
  /** {@code struct pollfd}: int32 descriptor, int16 wanted events, int16 events. */
  private static final int POLL_BYTES = 8;

  private final Descriptor descriptor;
  private final boolean endedByInterrupt;
  private final ByteBuffer scratch; // memory for the call in progress
  private boolean shut; // guarded by this, as are the next two
  private boolean freed;
  private int inside;

  /** Takes over a descriptor; its calls use this much memory. */
  NativeSocket(Descriptor descriptor, boolean endedByInterrupt, int scratchBytes) {
    this.descriptor = descriptor;
    this.endedByInterrupt = endedByInterrupt;
    this.scratch = OffHeap.allocate(POLL_BYTES + scratchBytes).order(ByteOrder.nativeOrder());
  }

  /** Opens a socket. */
  static Descriptor create() throws IOException {
    LibcSockets.require();
    int type = LibcSockets.SOCK_STREAM | LibcSockets.SOCK_CLOEXEC | LibcSockets.SOCK_NONBLOCK;
    try {
      return Descriptor.of(LibcSockets.socket(LibcSockets.AF_UNIX, type, 0));
    } catch (LastErrorException e) {
      throw NativeCalls.failure("open a socket", e);
    }
  }

  /** Another descriptor of the same socket; the caller closes it. */
  final Descriptor duplicate() throws IOException {
    enter();
    try {
      return descriptor.duplicate();
    } finally {
      leave();
    }
  }

  /** A system call on the descriptor. */
  @FunctionalInterface
  interface Call<R> {
    /** Makes the call; it may be repeated after {@code EINTR}. */
    R on(int descriptor, ByteBuffer scratch) throws IOException;
  }

  /** Makes a call that does not wait. */
  final <R> R call(Call<R> call) throws IOException {
    enter();
    try {
      while (true) {
        try {
          return call.on(descriptor.number(), afterPoll());
        } catch (LastErrorException e) {
          if (e.getErrorCode() != LibcSockets.EINTR) {
            throw e;
          }
        }
      }
    } finally {
      leave();
    }
  }

  /**
   * Waits until one of {@code events} has come, or the socket has ended.
   *
   * @param deadlineNs of {@link System#nanoTime}; {@link Long#MAX_VALUE} for none
   * @return false if the deadline has passed
   */
  final boolean await(short events, long deadlineNs) throws IOException {
    enter();
    try {
      boolean done = false;
      try {
        if (endedByInterrupt) {
          begin();
        }
        done = poll(events, deadlineNs);
      } finally {
        if (endedByInterrupt) {
          end(done);
        }
      }
      if (!isOpen()) {
        throw new AsynchronousCloseException();
      }
      return done;
    } finally {
      leave();
    }
  }

  private boolean poll(short events, long deadlineNs) throws IOException {
    scratch.putInt(0, descriptor.number());
    while (isOpen()) {
      int waitMs = -1;
      if (deadlineNs != Long.MAX_VALUE) {
        long leftMs = TimeUnit.NANOSECONDS.toMillis(deadlineNs - System.nanoTime());
        if (leftMs <= 0) {
          return false;
        }
        waitMs = (int) Math.min(leftMs, Integer.MAX_VALUE);
      }
      scratch.putShort(4, events).putShort(6, (short) 0);
      try {
        if (LibcSockets.poll(scratch, 1, waitMs) > 0) {
          return true;
        }
      } catch (LastErrorException e) {
        if (e.getErrorCode() != LibcSockets.EINTR) {
          throw NativeCalls.failure("wait for a socket", e);
        }
      }
    }
    return false;
  }

  private ByteBuffer afterPoll() {
    return scratch
        .slice(POLL_BYTES, scratch.capacity() - POLL_BYTES)
        .order(ByteOrder.nativeOrder());
  }

  private synchronized void enter() throws ClosedChannelException {
    if (shut) {
      throw new ClosedChannelException();
    }
    inside++;
  }

  private void leave() throws IOException {
    synchronized (this) {
      inside--;
    }
    closeUnlessInside();
  }

  /** Called by the thread that closes first, or by the one that interrupts. */
  @Override
  protected final void implCloseChannel() throws IOException {
    synchronized (this) {
      shut = true;
      if (inside > 0) {
        try {
          LibcSockets.shutdown(descriptor.number(), LibcSockets.SHUT_RDWR);
        } catch (LastErrorException e) {
          // ENOTCONN: the peer is gone, so no call waits
        }
      }
    }
    closeUnlessInside();
  }

  private void closeUnlessInside() throws IOException {
    synchronized (this) {
      if (!shut || freed || inside > 0) {
        return;
      }
      freed = true;
    }
    OffHeap.free(scratch);
    descriptor.close();
  }

  /**
   * Encodes paths as {@code struct sockaddr_un}.
   *
   * <pre>
   *  0        2                                              110
   *  +--------+-----------------------------------------------+
   *  | family | path, ended by a zero                         |
   *  +--------+-----------------------------------------------+
   * </pre>
   *
   * <p>Thread contract: stateless.
   */
  static final class SocketAddresses {
    private static final int FAMILY_BYTES = 2;
    private static final int PATH_BYTES = 108;

    private SocketAddresses() {}

    /** The structure for a path; fails if the path is too long. */
    static byte[] of(Path path) throws IOException {
      byte[] name = path.toString().getBytes(Charset.forName(nameEncoding()));
      if (name.length == 0 || name.length >= PATH_BYTES) {
        throw new IOException(
            "the path "
                + path
                + " has "
                + name.length
                + " bytes, a socket's path may have 1 to "
                + PATH_BYTES);
      }
      return ByteBuffer.allocate(FAMILY_BYTES + PATH_BYTES)
          .order(ByteOrder.nativeOrder())
          .putShort((short) LibcSockets.AF_UNIX)
          .put(name)
          .array();
    }

    /** The charset by which the JDK encodes paths. */
    private static String nameEncoding() {
      return System.getProperty("sun.jnu.encoding", "UTF-8");
    }
  }

  /**
   * The system calls of Unix sockets. The class is loaded on first use; {@link #require} checks
   * before that whether it can be. The constants are those of Linux on x86-64 and aarch64.
   *
   * <p>Thread contract: safe from any thread. Failure: {@link LastErrorException} with the errno.
   */
  static final class LibcSockets {
    static final int AF_UNIX = 1;
    static final int SOCK_STREAM = 1;
    static final int SOCK_NONBLOCK = 0x800;
    static final int SOCK_CLOEXEC = 0x80000;
    static final int SHUT_RDWR = 2;
    static final int SOL_SOCKET = 1;
    static final int SO_PEERCRED = 17;
    static final int SCM_RIGHTS = 1;
    static final int MSG_CTRUNC = 0x8;
    static final int MSG_NOSIGNAL = 0x4000;
    static final int MSG_CMSG_CLOEXEC = 0x40000000;
    static final long SIOCOUTQ = 0x5411;
    static final short POLLIN = 1;
    static final short POLLOUT = 4;

    static final int EINTR = 4;
    static final int EAGAIN = 11;
    static final int ETOOMANYREFS = 109;

    static {
      Native.register(LibcSockets.class, "c");
    }

    private LibcSockets() {}

    /** Throws if native calls do not work, before native methods are bound. */
    static void require() throws IOException {
      Optional<String> cause = NativeCalls.unavailabilityCause();
      if (cause.isPresent()) {
        throw new IOException("no file can be passed between processes: " + cause.get());
      }
    }

    static native int socket(int domain, int type, int protocol) throws LastErrorException;

    static native int connect(int descriptor, byte[] address, int lengthBytes)
        throws LastErrorException;

    static native int bind(int descriptor, byte[] address, int lengthBytes)
        throws LastErrorException;

    static native int listen(int descriptor, int backlog) throws LastErrorException;

    static native int accept4(int descriptor, Pointer address, Pointer lengthBytes, int flags)
        throws LastErrorException;

    static native int poll(ByteBuffer descriptors, long count, int timeoutMs)
        throws LastErrorException;

    static native long sendmsg(int descriptor, ByteBuffer message, int flags)
        throws LastErrorException;

    static native long recvmsg(int descriptor, ByteBuffer message, int flags)
        throws LastErrorException;

    static native int getsockopt(
        int descriptor, int level, int option, byte[] value, int[] lengthBytes)
        throws LastErrorException;

    static native int ioctl(int descriptor, long request, int[] value) throws LastErrorException;

    static native int shutdown(int descriptor, int how) throws LastErrorException;
  }
}
