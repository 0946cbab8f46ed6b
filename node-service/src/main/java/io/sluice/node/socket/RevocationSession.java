package io.sluice.node.socket;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.spill.memory.Revocations;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Optional;

/**
 * Tells one task which memory to give back, over a connection of its own. Unlike a {@link
 * SocketSession} it has no lease.
 *
 * <p>Thread contract: the thread of the connection. Ownership: {@link SocketServer} closes the
 * connection. Failure: a message that breaks the protocol is answered with the reason and ends it,
 * as does the end of the lease.
 */
final class RevocationSession {
  private static final long TIMEOUT_MS = 30_000;

  private final Frames frames;
  private final int version;

  RevocationSession(Frames frames, int version) {
    this.frames = frames;
    this.version = version;
  }

  /** Passes notices on until either side ends. */
  void serve(Revocations.Subscription subscription) throws IOException {
    frames.send(Replies.OK, out -> out.writeShort(version), TIMEOUT_MS);
    Optional<RevocationNotice> notice;
    do {
      Frames.Frame request = frames.receiveShort(MessageStream.NO_TIMEOUT, TIMEOUT_MS);
      try {
        notice = await(subscription, request);
      } catch (EOFException | ProtocolException e) {
        Replies.sendError(frames, RemoteError.Code.BAD_REQUEST, e.toString(), TIMEOUT_MS);
        return;
      }
      if (notice.isPresent()) {
        RevocationNotice told = notice.get();
        frames.send(Replies.OK, out -> SocketProtocol.writeNotice(out, told), TIMEOUT_MS);
      }
    } while (notice.isPresent());
  }

  private static Optional<RevocationNotice> await(
      Revocations.Subscription subscription, Frames.Frame request) throws IOException {
    if (request.type() != SocketProtocol.AWAIT) {
      throw new ProtocolException("a listener sent message type " + request.type());
    }
    long seenEpoch = request.in().readLong();
    int timeoutMs =
        Bounded.readCount(request.in(), SocketProtocol.MAX_AWAIT_MS, "milliseconds to wait");
    try {
      return subscription.await(seenEpoch, timeoutMs);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("interrupted while a task listened");
    }
  }
}
