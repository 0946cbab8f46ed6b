package io.sluice.node.local;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.LeaseInfo;
import io.sluice.spill.store.StoreFullException;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * A task's connection to the service of its node: leases extents of the pool and commits outputs.
 *
 * <p>Thread contract: safe from any thread, one exchange at a time. Ownership: the task closes it,
 * and that, like the task's death, frees whatever it leased and did not commit. Failure: as {@link
 * ExtentSource} says, {@link RemoteError} when the service refuses for another reason, and another
 * {@link IOException} when it cannot be reached or does not answer in time; the connection is then
 * unusable.
 */
public final class LocalClient implements ExtentSource, AutoCloseable {
  private final DeadlineChannel channel;
  private final Frames frames;
  private final long timeoutMs;
  private LeaseInfo info;

  private LocalClient(DeadlineChannel channel, long timeoutMs) {
    this.channel = channel;
    this.frames = new Frames(channel);
    this.timeoutMs = timeoutMs;
  }

  /**
   * Connects and says for which application, with the secret that its readers will prove.
   *
   * @param socket the service's socket, from its {@code NodeMetadata}
   */
  public static LocalClient connect(
      Path socket, String applicationId, JobSecret secret, long timeoutMs) throws IOException {
    DeadlineChannel channel =
        DeadlineChannel.connect(UnixDomainSocketAddress.of(socket), timeoutMs);
    try {
      LocalClient client = new LocalClient(channel, timeoutMs);
      client.info =
          LocalProtocol.readInfo(
              client.exchange(
                  LocalProtocol.HELLO,
                  out -> {
                    out.writeShort(LocalProtocol.VERSION);
                    Bounded.writeString(out, applicationId);
                    Bounded.writeBytes(out, secret.bytes());
                  }));
      return client;
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  @Override
  public LeaseInfo info() {
    return info;
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    return LocalProtocol.readExtents(
        exchange(LocalProtocol.LEASE, out -> out.writeLong(lengthBytes)));
  }

  @Override
  public Extent leaseContiguous(long lengthBytes) throws IOException {
    return LocalProtocol.readExtents(
            exchange(LocalProtocol.LEASE_CONTIGUOUS, out -> out.writeLong(lengthBytes)))
        .get(0);
  }

  @Override
  public void release(List<Extent> extents) throws IOException {
    exchange(LocalProtocol.RELEASE, out -> LocalProtocol.writeExtents(out, extents));
  }

  @Override
  public void commit(OutputId id, FooterLocation footer) throws IOException {
    exchange(
        LocalProtocol.COMMIT,
        out -> {
          Bounded.writeString(out, id.outputId());
          out.writeInt(footer.segmentId());
          out.writeLong(footer.trailerOffsetBytes());
        });
  }

  private synchronized DataInputStream exchange(int type, Frames.Payload payload)
      throws IOException {
    try {
      frames.send(type, payload, timeoutMs);
      return Replies.receive(frames, timeoutMs);
    } catch (RemoteError e) {
      throw switch (e.code()) {
        case FULL -> new StoreFullException(e.getMessage());
        case CORRUPT_OUTPUT -> new CorruptOutputException(e.getMessage());
        default -> e;
      };
    } catch (IOException | RuntimeException e) {
      // The answer may still be on its way: nothing said after this would match its reply.
      channel.close();
      throw e;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
