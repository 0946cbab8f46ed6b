package io.sluice.node.local;

import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.OwnPlace;
import io.sluice.spill.segment.PoolPlaces;
import io.sluice.spill.segment.SegmentOpener;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.LeaseInfo;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A task's connection to the service of its node: leases extents of the pool and commits outputs.
 *
 * <p>It outlives a restart of the service that keeps the pool: what was leased is then quarantined
 * by the new service, nobody else gets it, and this client connects again and goes on. It does not
 * outlive a service that has not restarted, because that has taken the lease back, nor one that has
 * emptied its pool.
 *
 * <p>Thread contract: safe from any thread, one exchange at a time. Ownership: the task closes it,
 * and that, like the task's death, frees whatever it leased and did not commit. Failure: as {@link
 * ExtentSource} says, {@link RemoteError} when the service refuses for another reason, and another
 * {@link IOException} when it cannot be reached or does not answer in time; the client is then
 * unusable.
 */
public final class LocalClient implements ExtentSource, Closeable {
  private static final long FIRST_PAUSE_MS = 20;
  private static final long LONGEST_PAUSE_MS = 1_000;

  private final Path socket;
  private final String applicationId;
  private final JobSecret secret;
  private final long timeoutMs;
  private volatile Session session;
  private final List<LeaseHold> holds = new ArrayList<>(); // of every lease since the first
  private volatile boolean closed;

  /** One connection, and what the service said when it began. */
  private record Session(
      MessageStream stream,
      Frames frames,
      LeaseInfo info,
      long serviceInstance,
      PoolPlaces places) {}

  private LocalClient(Path socket, String applicationId, JobSecret secret, long timeoutMs) {
    this.socket = socket;
    this.applicationId = applicationId;
    this.secret = secret;
    this.timeoutMs = timeoutMs;
  }

  /**
   * Connects and says for which application, with the secret that its readers will prove. Not a
   * word is said where the socket's directory, or whoever listens there, is not of this process's
   * own user: a service serves no other.
   *
   * @param socket the service's socket, from its {@code NodeMetadata}
   */
  public static LocalClient connect(
      Path socket, String applicationId, JobSecret secret, long timeoutMs) throws IOException {
    LocalClient client = new LocalClient(socket, applicationId, secret, timeoutMs);
    client.session = client.open();
    return client;
  }

  private Session open() throws IOException {
    OwnPlace.require(socket.toAbsolutePath().getParent());
    MessageStream stream = DeadlineChannel.connect(UnixDomainSocketAddress.of(socket), timeoutMs);
    try {
      checkService(stream);
      Frames frames = new Frames(stream);
      DataInputStream in =
          exchange(
              frames,
              LocalProtocol.HELLO,
              out -> {
                out.writeShort(LocalProtocol.VERSION);
                Bounded.writeString(out, applicationId);
                Bounded.writeBytes(out, secret.bytes());
              });
      LeaseInfo info = LocalProtocol.readInfo(in);
      long instance = in.readLong();
      PoolPlaces places = LocalProtocol.readPlaces(in, info.poolId());
      Session opened = new Session(stream, frames, info, instance, places);
      hold(opened.info());
      return opened;
    } catch (IOException | RuntimeException e) {
      stream.close();
      throw e;
    }
  }

  private void checkService(MessageStream stream) throws IOException {
    String user = stream.peerUser();
    if (!user.equals(OwnUser.name())) {
      throw new IOException(
          "at "
              + socket
              + " listens a process of user "
              + user
              + ", expected one of "
              + OwnUser.name());
    }
  }

  /** Says that this task lives until it closes this client, whatever becomes of the service. */
  private void hold(LeaseInfo lease) throws IOException {
    Optional<LeaseHold> hold = LeaseHold.take(LeaseRecords.path(socket, lease));
    synchronized (holds) {
      hold.ifPresent(holds::add);
    }
    if (closed) { // meanwhile, and perhaps without seeing this one
      releaseHolds();
    }
  }

  private void releaseHolds() throws IOException {
    synchronized (holds) {
      for (LeaseHold hold : holds) {
        hold.close();
      }
      holds.clear();
    }
  }

  @Override
  public LeaseInfo info() {
    return session.info();
  }

  /** Where the segments of the service's pool lie. */
  public PoolPlaces places() {
    return session.places();
  }

  @Override
  public SegmentOpener opener() {
    return SegmentOpener.BY_NAME;
  }

  @Override
  public List<Extent> lease(long lengthBytes) throws IOException {
    return LocalProtocol.readExtents(
        exchange(LocalProtocol.LEASE, out -> out.writeLong(lengthBytes)), places());
  }

  @Override
  public Extent leaseContiguous(long lengthBytes) throws IOException {
    return LocalProtocol.readExtents(
            exchange(LocalProtocol.LEASE_CONTIGUOUS, out -> out.writeLong(lengthBytes)), places())
        .get(0);
  }

  @Override
  public void release(List<Extent> extents) throws IOException {
    exchange(LocalProtocol.RELEASE, out -> LocalProtocol.writeExtents(out, extents, places()));
  }

  @Override
  public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
    exchange(
        LocalProtocol.COMMIT,
        out -> {
          Bounded.writeString(out, stamp.id().outputId());
          out.writeLong(stamp.writerGeneration());
          out.writeInt(stamp.identityCrc32c());
          out.writeInt(trailer.segmentId());
          out.writeLong(trailer.trailerOffsetBytes());
        });
  }

  private synchronized DataInputStream exchange(int type, Frames.Payload payload)
      throws IOException {
    try {
      return exchange(session.frames(), type, payload);
    } catch (RemoteError | StoreFullException | CorruptOutputException e) {
      throw e;
    } catch (IOException | RuntimeException e) {
      // The answer may still be on its way: nothing said after this would match its reply.
      session.stream().close();
      if (closed || e instanceof InterruptedIOException) {
        throw e;
      }
      session = reopen(e);
      if (closed) { // meanwhile, and perhaps without seeing this session
        session.stream().close();
        throw e;
      }
    }
    return exchange(session.frames(), type, payload);
  }

  private DataInputStream exchange(Frames frames, int type, Frames.Payload payload)
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
    }
  }

  /** Connects to the service's successor, for as long as a restart may take. */
  private Session reopen(Exception cause) throws IOException {
    long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      try {
        Session next = open();
        checkSuccessor(next, cause);
        return next;
      } catch (IOException e) {
        boolean refused = e instanceof RemoteError error && error.code() != RemoteError.Code.BUSY;
        boolean late = System.nanoTime() - deadlineNs > 0;
        if (refused || late || closed || Thread.currentThread().isInterrupted()) {
          e.addSuppressed(cause);
          throw e;
        }
      }
      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  private void checkSuccessor(Session next, Exception cause) throws IOException {
    String lost = null;
    if (next.serviceInstance() == session.serviceInstance()) {
      lost = "the connection to the node's service broke, which took the task's lease back";
    } else if (!next.info().poolId().equals(session.info().poolId())) {
      lost = "the node's service was restarted with an empty pool";
    }
    if (lost != null) {
      next.stream().close();
      RemoteError error =
          new RemoteError(
              RemoteError.Code.REFUSED, lost + "; what this task has written there is lost");
      error.initCause(cause);
      throw error;
    }
  }

  /** Ends the connection, and with it an exchange that another thread is waiting in. */
  @Override
  public void close() throws IOException {
    closed = true;
    try {
      session.stream().close();
    } finally {
      releaseHolds();
    }
  }
}
