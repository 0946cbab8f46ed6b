package io.sluice.node.local;

import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JdkListener;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.UnixListening;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.unix.UnixListener;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
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
  private final Handout handout;
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
      Handout handout,
      Listener listener,
      ConnectionLimits limits) {
    this.store = store;
    this.records = records;
    this.secrets = secrets;
    this.socket = socket;
    this.handout = handout;
    this.acceptor = new Acceptor("sluice-local", listener, limits, this::serve);
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

  /**
   * Listens at {@code socket}, replacing what a dead service left there; tasks get at segments as
   * {@code handout} says.
   */
  public static LocalServer start(
      SpillStore store,
      LeaseRecords records,
      SecretRegistry secrets,
      Path socket,
      Handout handout,
      ConnectionLimits limits)
      throws IOException {
    if (handout == Handout.DESCRIPTORS) {
      requireFiles(store.places().pool());
    }
    Files.deleteIfExists(socket);
    Listener listener;
    try {
      listener = listen(socket, handout);
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
    try {
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      return new LocalServer(store, records, secrets, socket, handout, listener, limits);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  private static void requireFiles(Path pool) throws IOException {
    if (!Files.isDirectory(pool)) {
      throw new IOException(
          "the pool " + pool + " is one device: a descriptor of it shows every segment");
    }
  }

  private static Listener listen(Path socket, Handout handout) throws IOException {
    if (handout == Handout.DESCRIPTORS) {
      return new UnixListening(UnixListener.bind(socket, ConnectionLimits.BACKLOG));
    }
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(socket), ConnectionLimits.BACKLOG);
      return new JdkListener(channel);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
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
      if (e.code() != RemoteError.Code.PASSES_FILES) { // which only says how to come
        LOG.warn("A task could not be served: {}", e.getMessage());
      }
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      return;
    }
    try (Lease lease = opened) {
      new LocalSession(frames, store, lease, Owner.ofThisProcess(), records, handout, instance)
          .serve(); // checkUser has seen that it is the owner
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
      boolean takesFiles = Bounded.readByteBelow(request.in(), 2, "answers") == 1;
      if (handout == Handout.DESCRIPTORS && !takesFiles) {
        throw new RemoteError(
            RemoteError.Code.PASSES_FILES, "files of this pool are passed over the socket");
      }
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

  @Override
  public void close() throws IOException {
    try {
      acceptor.close();
    } finally {
      Files.deleteIfExists(socket);
    }
  }
}
