package io.sluice.node.socket;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;

/**
 * A task's second connection to the service of its node, over which the service tells it to give
 * memory back. No lease depends on it; all depend on the first one ({@link SocketClient}).
 *
 * <p>Thread contract: one thread; {@link #close} from any other ends its wait. Ownership: the task
 * closes it. Failure: {@link IOException} when the service is gone, does not answer in time, or has
 * closed the lease; there is no second try.
 */
public final class RevocationConnection implements Closeable {
  private final MessageStream stream;
  private final Frames frames;
  private final long timeoutMs;
  private RevocationNotice last = RevocationNotice.NONE;

  private RevocationConnection(MessageStream stream, long timeoutMs) {
    this.stream = stream;
    this.frames = new Frames(stream);
    this.timeoutMs = timeoutMs;
  }

  /** Listens for the lease of that generation. */
  static RevocationConnection open(
      ServiceLink link,
      Versions versions,
      String applicationId,
      JobSecret secret,
      long generation,
      long timeoutMs)
      throws IOException {
    RevocationConnection connection = new RevocationConnection(link.connect(timeoutMs), timeoutMs);
    try {
      DataInputStream in =
          connection.exchange(
              SocketProtocol.LISTEN,
              out -> {
                versions.write(out);
                Bounded.writeString(out, applicationId);
                Bounded.writeBytes(out, secret.bytes());
                out.writeLong(generation);
              });
      versions.readChosen(in, SocketProtocol.SERVICE, SocketProtocol.TASK);
      return connection;
    } catch (IOException | RuntimeException | Error e) {
      connection.close();
      throw e;
    }
  }

  /** The next notice, or the last one again when there was none for a while. */
  public RevocationNotice await() throws IOException {
    int waitMs = (int) Math.min(timeoutMs / 2, SocketProtocol.MAX_AWAIT_MS);
    last =
        SocketProtocol.readNotice(
            exchange(
                SocketProtocol.AWAIT,
                out -> {
                  out.writeLong(last.epoch());
                  out.writeInt(waitMs);
                }));
    return last;
  }

  private DataInputStream exchange(int type, Frames.Payload payload) throws IOException {
    frames.send(type, payload, timeoutMs);
    return Replies.receive(frames, timeoutMs);
  }

  @Override
  public void close() throws IOException {
    stream.close();
  }
}
