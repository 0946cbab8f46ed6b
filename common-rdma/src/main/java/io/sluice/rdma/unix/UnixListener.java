package io.sluice.rdma.unix;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.NativeCalls;
import io.sluice.rdma.unix.NativeSocket.LibcSockets;
import io.sluice.rdma.unix.NativeSocket.SocketAddresses;
import java.io.IOException;
import java.nio.channels.AsynchronousCloseException;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Path;

/**
 * Listens at a path for {@link UnixSocket}s.
 *
 * <p>Thread contract: one thread accepts; {@link #close} may come from another, and ends its wait
 * with {@link AsynchronousCloseException}. Ownership: the opener closes it; the path stays.
 * Failure: {@link ClosedChannelException} once it is closed, another {@link IOException} if one
 * peer cannot be accepted.
 */
public final class UnixListener extends NativeSocket {
  private UnixListener(Descriptor descriptor) {
    super(descriptor, true, 0);
  }

  /** Binds a path that does not exist. */
  public static UnixListener bind(Path path, int backlog) throws IOException {
    Descriptor descriptor = create();
    try {
      byte[] address = SocketAddresses.of(path);
      LibcSockets.bind(descriptor.number(), address, address.length);
      LibcSockets.listen(descriptor.number(), backlog);
      return new UnixListener(descriptor);
    } catch (LastErrorException e) {
      descriptor.close();
      throw NativeCalls.failure("listen at " + path, e);
    } catch (IOException | RuntimeException | Error e) {
      descriptor.close();
      throw e;
    }
  }

  /** Waits for the next peer. */
  public UnixSocket accept() throws IOException {
    while (true) {
      await(LibcSockets.POLLIN, Long.MAX_VALUE);
      try {
        return call(
            (listener, none) -> {
              int flags = LibcSockets.SOCK_CLOEXEC | LibcSockets.SOCK_NONBLOCK;
              return UnixSocket.accepted(
                  Descriptor.of(LibcSockets.accept4(listener, null, null, flags)));
            });
      } catch (LastErrorException e) {
        if (!isOpen()) {
          throw new AsynchronousCloseException();
        }
        if (e.getErrorCode() != LibcSockets.EAGAIN) {
          throw NativeCalls.failure("accept a connection", e);
        }
      }
    }
  }
}
