package io.sluice.node.local;

import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JdkListener;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolPlaces;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's side of {@link LocalProtocol}: one thread and one lease per connected task.
 *
 * <p>Only processes of the pool's own user are served; the kernel vouches for who they are. Thread
 * contract: safe from any thread. Ownership: the node service closes it, which ends every
 * connection; it does not close the store. Failure: a request that cannot be granted is answered
 * with the reason and the connection stays usable; a task that breaks the framing loses its
 * connection and its lease; the others notice nothing.
 */
public final class LocalServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(LocalServer.class);
  private static final long TIMEOUT_MS = 30_000;

  /** Room for a path in struct sockaddr_un. */
  private static final int MAX_SOCKET_PATH_BYTES = 108;

  private final SpillStore store;
  private final LeaseRecords records;
  private final SecretRegistry secrets;
  private final PoolPlaces places;
  private final Refusals refusals = new Refusals();

  /** Tells a task that comes back whether this is still the service that it left. */
  private final long instance = new SecureRandom().nextLong();

  private final Path socket;
  private final Acceptor acceptor;

  private LocalServer(
      SpillStore store,
      LeaseRecords records,
      SecretRegistry secrets,
      Path socket,
      ServerSocketChannel listener,
      ConnectionLimits limits)
      throws IOException {
    this.store = store;
    this.records = records;
    this.secrets = secrets;
    this.socket = socket;
    this.places = store.places();
    this.acceptor = new Acceptor("sluice-local", new JdkListener(listener), limits, this::serve);
  }

  /** Where the secrets go that tasks bring. */
  public interface SecretRegistry {
    /**
     * Keeps the secret of an application.
     *
     * @throws RemoteError if the application has another one already, or it cannot be kept
     */
    void register(String applicationId, JobSecret secret) throws RemoteError;
  }

  /** Listens at {@code socket}, replacing what a dead service left there. */
  public static LocalServer start(
      SpillStore store,
      LeaseRecords records,
      SecretRegistry secrets,
      Path socket,
      ConnectionLimits limits)
      throws IOException {
    Files.deleteIfExists(socket);
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      bind(listener, socket);
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      return new LocalServer(store, records, secrets, socket, listener, limits);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  private static void bind(ServerSocketChannel listener, Path socket) throws IOException {
    try {
      listener.bind(UnixDomainSocketAddress.of(socket), ConnectionLimits.BACKLOG);
    } catch (IOException e) {
      throw new IOException(
          "cannot listen at "
              + socket
              + " ("
              + e.getMessage()
              + "); its directory must exist and the path be shorter than "
              + MAX_SOCKET_PATH_BYTES
              + " bytes, it has "
              + socket.toString().length(),
          e);
    }
  }

  /** What became of the connections that came. */
  public ConnectionCounters counters() {
    return acceptor.counters();
  }

  /** How many tasks were not served, by why. */
  public Map<RefusalKind, Long> refusals() {
    return refusals.counts();
  }

  private void serve(MessageStream stream, Acceptor.Peer peer) throws IOException {
    Frames frames = new Frames(stream);
    String applicationId;
    Lease opened;
    try {
      applicationId = hello(frames, stream);
      if (!peer.hasProved()) {
        throw new TaskRefusedException(
            RefusalKind.TOO_MANY,
            RemoteError.Code.BUSY,
            "as many tasks are connected as this node's service takes");
      }
      opened = store.openLease(applicationId);
    } catch (TaskRefusedException e) {
      refusals.add(e.kind(), e.getMessage());
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      return;
    } catch (RemoteError e) {
      LOG.warn("A task could not be served: {}", e.getMessage());
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      return;
    }
    try (Lease lease = opened) {
      serve(frames, lease, applicationId);
    }
  }

  private void serve(Frames frames, Lease lease, String applicationId) throws IOException {
    LeaseRecords.LeaseRecord record = records.create(lease.info());
    try {
      frames.send(
          Replies.OK,
          out -> {
            LocalProtocol.writeInfo(out, lease.info());
            out.writeLong(instance);
            LocalProtocol.writePlaces(out, places);
          },
          TIMEOUT_MS);
      while (true) {
        Frames.Frame request = frames.receive(MessageStream.NO_TIMEOUT, TIMEOUT_MS);
        answer(frames, request, lease, record, applicationId);
      }
    } finally {
      try {
        lease.close(); // before the record of it goes
      } finally {
        record.close(!store.isQuiet());
      }
    }
  }

  /** The application that the task works for, with its secret registered. */
  private String hello(Frames frames, MessageStream stream)
      throws IOException, TaskRefusedException {
    Frames.Frame request = frames.receiveHello(TIMEOUT_MS);
    checkUser(stream);
    try {
      int version = request.type() == LocalProtocol.HELLO ? request.in().readUnsignedShort() : -1;
      if (version != LocalProtocol.VERSION) {
        throw new ProtocolException(
            "task opened with message type "
                + request.type()
                + " version "
                + version
                + ", expected HELLO version "
                + LocalProtocol.VERSION);
      }
      String applicationId = Bounded.readString(request.in());
      OutputId.check("application id", applicationId);
      byte[] secret = Bounded.readBytes(request.in(), JobSecret.MAX_SECRET_BYTES);
      register(applicationId, new JobSecret(secret));
      return applicationId;
    } catch (EOFException | ProtocolException | IllegalArgumentException e) {
      throw new TaskRefusedException(
          RefusalKind.BAD_MESSAGE, RemoteError.Code.BAD_REQUEST, e.toString());
    }
  }

  private void register(String applicationId, JobSecret secret)
      throws RemoteError, TaskRefusedException {
    try {
      secrets.register(applicationId, secret);
    } catch (RemoteError e) {
      switch (e.code()) {
        case REFUSED ->
            throw new TaskRefusedException(RefusalKind.WRONG_SECRET, e.code(), e.getMessage());
        case BAD_REQUEST ->
            throw new TaskRefusedException(RefusalKind.BAD_MESSAGE, e.code(), e.getMessage());
        default -> throw e; // none of the task's doing
      }
    }
  }

  private static void checkUser(MessageStream stream) throws IOException, TaskRefusedException {
    String user = stream.peerUser();
    String own = OwnUser.name();
    if (!user.equals(own)) {
      throw new TaskRefusedException(
          RefusalKind.WRONG_USER,
          RemoteError.Code.REFUSED,
          "this pool belongs to user " + own + " and serves no other; the task runs as " + user);
    }
  }

  private void answer(
      Frames frames,
      Frames.Frame request,
      Lease lease,
      LeaseRecords.LeaseRecord record,
      String applicationId)
      throws IOException {
    Frames.Payload answer;
    try {
      answer = perform(request, lease, record, applicationId);
    } catch (StoreFullException e) {
      Replies.sendError(frames, RemoteError.Code.FULL, e.getMessage(), TIMEOUT_MS);
      return;
    } catch (CorruptOutputException e) {
      Replies.sendError(frames, RemoteError.Code.CORRUPT_OUTPUT, e.getMessage(), TIMEOUT_MS);
      return;
    } catch (EOFException | IllegalArgumentException | ProtocolException e) {
      Replies.sendError(frames, RemoteError.Code.BAD_REQUEST, e.toString(), TIMEOUT_MS);
      return;
    } catch (IOException | RuntimeException e) {
      if (store.isQuiet()) {
        throw e; // no answer, but the end of the connection, so that the task asks our successor
      }
      LOG.warn("A request of a task of {} failed", applicationId, e);
      Replies.sendError(frames, RemoteError.Code.INTERNAL, e.toString(), TIMEOUT_MS);
      return;
    }
    frames.send(Replies.OK, answer, TIMEOUT_MS);
  }

  private Frames.Payload perform(
      Frames.Frame request, Lease lease, LeaseRecords.LeaseRecord record, String applicationId)
      throws IOException {
    DataInputStream in = request.in();
    switch (request.type()) {
      case LocalProtocol.LEASE -> {
        List<Extent> extents = lease.lease(in.readLong());
        record.granted(extents.stream().map(Extent::range).toList());
        return out -> LocalProtocol.writeExtents(out, extents, places);
      }
      case LocalProtocol.LEASE_CONTIGUOUS -> {
        Extent extent = lease.leaseContiguous(in.readLong());
        record.granted(List.of(extent.range()));
        return out -> LocalProtocol.writeExtents(out, List.of(extent), places);
      }
      case LocalProtocol.RELEASE -> {
        lease.release(LocalProtocol.readExtents(in, places));
        return out -> {};
      }
      case LocalProtocol.COMMIT -> {
        OutputId id = new OutputId(applicationId, Bounded.readString(in));
        OutputStamp stamp = new OutputStamp(id, in.readLong(), in.readInt());
        lease.commit(stamp, new FooterLocation(in.readInt(), in.readLong()));
        return out -> {};
      }
      default -> throw new ProtocolException("unknown request type " + request.type());
    }
  }

  @Override
  public void close() throws IOException {
    try {
      acceptor.close();
    } finally {
      Files.deleteIfExists(socket);
    }
  }
}
