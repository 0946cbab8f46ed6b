package io.sluice.rdma.unix;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.Descriptor;
import io.sluice.rdma.memory.NativeCalls;
import java.io.Closeable;
import java.io.IOException;

/**
 * What was sent over a {@link UnixSocket} and its peer has not received. Descriptors among it count
 * against the sender until then, also when the sender has closed the socket; so this can outlive
 * it.
 *
 * <p>Thread contract: safe from any thread, none of which uses it once another closes it.
 * Ownership: who asked the socket for it closes it; the peer sees no end of the connection before,
 * unless {@link #endConnection} says so. Failure: {@link IOException} with the system's own words.
 */
public final class SentQueue implements Closeable {
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
