package io.sluice.rdma.unix;

import com.sun.jna.LastErrorException;
import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.NativeCalls;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The system calls of Unix sockets. The class is loaded on first use; {@link #require} checks
 * before that whether it can be. The constants are those of Linux on x86-64 and aarch64.
 *
 * <p>Thread contract: safe from any thread. Failure: {@link LastErrorException} with the errno.
 */
final class LibcSockets {
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

  static native int bind(int descriptor, byte[] address, int lengthBytes) throws LastErrorException;

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
