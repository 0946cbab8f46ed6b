package io.sluice.node.socket;

import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.UnixStream;
import io.sluice.rdma.unix.UnixSocket;
import io.sluice.rdma.unix.UnixSocket.PeerCredentials;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.TrustedPath;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The socket of a task's service, and the user that the service must run as.
 *
 * <p>Thread contract: immutable. Failure: {@link IOException}, before anything is sent, if nobody
 * listens there, or a process of another user.
 *
 * @param access how this process gets at segments of that service
 */
record ServiceLink(Path socket, Owner service, SegmentAccess access) {
  static ServiceLink to(Path socket, Owner service) throws IOException {
    boolean own = service.equals(Owner.ofThisProcess());
    return new ServiceLink(socket, service, own ? SegmentAccess.NAMES : SegmentAccess.DESCRIPTORS);
  }

  /** Connects; the caller closes what it gets. */
  MessageStream connect(long timeoutMs) throws IOException {
    TrustedPath.requireOf(service.uid(), socket.toAbsolutePath().getParent());
    MessageStream stream =
        access == SegmentAccess.DESCRIPTORS
            ? UnixStream.connect(socket, UnixSocket.Interrupts.END_IT, timeoutMs)
            : DeadlineChannel.connect(UnixDomainSocketAddress.of(socket), timeoutMs);
    try {
      check(stream);
      return stream;
    } catch (IOException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  private void check(MessageStream stream) throws IOException {
    Optional<PeerCredentials> peer = stream.credentials();
    String user = stream.peerUser();
    boolean expected =
        user.equals(Owner.nameOfThisProcess())
            || peer.isPresent() && new Owner(peer.get().uid()).equals(service);
    if (!expected) {
      throw new IOException(
          "at "
              + socket
              + " listens a process of user "
              + user
              + ", expected one of user id "
              + service);
    }
  }
}
