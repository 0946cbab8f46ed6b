package io.sluice.node.socket;

import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.socket.ServedApplications.ServedUsers;
import io.sluice.node.socket.ServedApplications.TaskRefusedException;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.HeapBudget;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.unix.UnixListener;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.ledger.Holding.HolderRole;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.memory.MemoryManager;
import io.sluice.spill.memory.Revocations;
import io.sluice.spill.memory.Revocations.RevocationNotice;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.TrustedPath;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.EOFException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The service's side of {@link SocketProtocol}: one thread and one lease per connected task, and
 * one more thread for a task that listens.
 *
 * <p>The kernel vouches for the user of each process that comes, and {@link ServedApplications}
 * says whether that user may speak for the application. A task of the pool's own user opens
 * segments by name; a task of another user is sent descriptors. Thread contract: safe from any
 * thread. Ownership: the node service closes it, which ends every connection; it does not close the
 * store. Failure: a request that cannot be granted is answered with the reason and the connection
 * stays usable; a task that breaks the framing loses its connection and its lease; the others
 * notice nothing.
 */
public final class SocketServer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SocketServer.class);
  private static final long TIMEOUT_MS = 30_000;

  /** Room for a path in struct sockaddr_un. */
  private static final int MAX_SOCKET_PATH_BYTES = 108;

  private final Backend backend;
  private final InFlightDescriptors inFlight = InFlightDescriptors.ofThisProcess();
  private final Map<Long, Lease> leases = new ConcurrentHashMap<>(); // open, by generation
  private final TaskGreeter greeter;

  /** Tells a task that comes back whether this is still the service that it left. */
  private final long instance = new SecureRandom().nextLong();

  private final Path socket;
  private final Acceptor acceptor;
  private boolean closed;

  /**
   * The parts that a server lends from and asks.
   *
   * @param memory keeps the ledger of the store's memory
   * @param heap for what is read of outputs that are committed
   * @param refusals counts the tasks that are refused
   */
  public record Backend(
      SpillStore store,
      LeaseRecords records,
      MemoryManager memory,
      HeapBudget heap,
      ServedApplications applications,
      ServedUsers served,
      Refusals refusals) {}

  private SocketServer(
      Backend backend,
      TaskGreeter greeter,
      Path socket,
      Listener listener,
      ConnectionLimits limits) {
    this.backend = backend;
    this.greeter = greeter;
    this.socket = socket;
    this.acceptor = new Acceptor("sluice-local", listener, limits, this::serve);
  }

  /** Listens at {@code socket}, replacing what a dead service left there. */
  public static SocketServer start(Backend backend, Path socket, ConnectionLimits limits)
      throws IOException {
    return start(SocketProtocol.VERSIONS, backend, socket, limits);
  }

  /** The same of a service that speaks these versions. */
  static SocketServer start(
      Versions versions, Backend backend, Path socket, ConnectionLimits limits) throws IOException {
    TaskGreeter greeter = new TaskGreeter(versions, backend, Owner.ofThisProcess());
    Files.deleteIfExists(socket);
    return new SocketServer(backend, greeter, socket, bind(socket, backend.served()), limits);
  }

  private static Listener bind(Path socket, ServedUsers served) throws IOException {
    Listener listener;
    try {
      listener = listen(socket, served);
    } catch (IOException e) {
      throw new IOException(
          ("cannot listen at %s (%s); its directory must exist and the path be shorter than"
                  + " %s bytes, it has %s")
              .formatted(
                  socket, ErrorText.of(e), MAX_SOCKET_PATH_BYTES, socket.toString().length()),
          e);
    }
    try {
      String permissions = served == ServedUsers.ALL ? "rw-rw-rw-" : "rw-------";
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString(permissions));
      return listener;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, listener);
      Closer.after(e, () -> Files.delete(socket)); // else it would be taken for one that works
      throw e;
    }
  }

  /**
   * Listens again if somebody has removed the socket, as cleaners of temporary directories do: no
   * task could connect any more. Connections stay. Not in a directory that was removed as well:
   * another user's directory of that name could lead this process to other files of its user.
   *
   * @return whether it was gone
   * @throws IOException if it cannot be made again; this may be called again
   */
  public synchronized boolean restoreSocket() throws IOException {
    if (closed || !Files.notExists(socket, LinkOption.NOFOLLOW_LINKS)) {
      return false;
    }
    TrustedPath.require(socket.getParent());
    acceptor.acceptFrom(bind(socket, backend.served()));
    return true;
  }

  private static Listener listen(Path socket, ServedUsers served) throws IOException {
    if (served == ServedUsers.ALL) {
      return new Listener.OfSocket(UnixListener.bind(socket, ConnectionLimits.BACKLOG));
    }
    ServerSocketChannel channel = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.bind(UnixDomainSocketAddress.of(socket), ConnectionLimits.BACKLOG);
      return new Listener.OfChannel(channel);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, channel);
      throw e;
    }
  }

  /** How many connections each user has; null's are those of the only one. */
  public Map<Object, Integer> connectionsOfUsers() {
    return acceptor.held();
  }

  /** Connections that came, by their fate. */
  public ConnectionCounters counters() {
    return acceptor.counters();
  }

  /** Descriptors that were sent to each user's tasks and not received, as far as is known. */
  public Map<Owner, Long> inFlightDescriptors() {
    return inFlight.filesOfUsers();
  }

  private interface Conversation {
    void hold() throws IOException;
  }

  private void serve(MessageStream stream, Acceptor.Peer peer) throws IOException {
    Frames frames = new Frames(stream);
    Conversation conversation;
    try {
      conversation = begin(frames, stream, peer);
    } catch (TaskRefusedException e) {
      backend.refusals().add(e.kind(), e.getMessage());
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      return;
    } catch (RemoteError e) {
      LOG.warn("A task could not be served: {}", e.getMessage());
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      return;
    }
    conversation.hold();
  }

  private Conversation begin(Frames frames, MessageStream stream, Acceptor.Peer peer)
      throws IOException, TaskRefusedException {
    TaskGreeter.Opening opening = greeter.greet(frames.receiveHello(TIMEOUT_MS), stream);
    Owner owner = opening.owner();
    if (!peer.authenticated(backend.served() == ServedUsers.ALL ? owner : null)) {
      throw new TaskRefusedException(
          RefusalKind.TOO_MANY,
          RemoteError.Code.BUSY,
          "as many tasks are connected as this node's service takes, in all or of user id "
              + owner
              + "; raise its max-connections for more");
    }
    if (opening.task() == null) {
      return listening(frames, opening);
    }
    checkTakesOutputs(owner, opening.task().borrower());
    IoClass ioClass =
        opening.task().borrower().role() == HolderRole.REDUCE
            ? IoClass.WRITE_RECEIVE
            : IoClass.WRITE_SORT;
    String applicationId = opening.applicationId();
    Lease lease = backend.store().openLease(applicationId, owner, ioClass);
    try {
      backend.applications().confirm(applicationId, owner);
    } catch (TaskRefusedException | RuntimeException | Error e) {
      lease.close();
      throw e;
    }
    return () -> lend(stream, frames, opening, lease);
  }

  /** A map can still leave its output to stock; any other task may only want to read. */
  private void checkTakesOutputs(Owner owner, Borrower borrower) throws TaskRefusedException {
    if (borrower.role() != HolderRole.MAP) {
      return;
    }
    try {
      backend.store().checkTakesOutputs(owner);
    } catch (HeapShareException e) {
      throw new TaskRefusedException(RefusalKind.TOO_MANY, RemoteError.Code.BUSY, e.getMessage());
    }
  }

  private void lend(MessageStream stream, Frames frames, TaskGreeter.Opening opening, Lease opened)
      throws IOException {
    TaskGreeter.Task task = opening.task();
    long generation = opened.info().generation();
    try (Lease lease = opened;
        InFlightDescriptors.Connection files =
            task.access() == SegmentAccess.NAMES
                ? null
                : inFlight.open(lease.owner(), stream.sentQueue())) {
      backend.memory().introduce(lease, task.borrower());
      leases.put(generation, lease);
      new SocketSession(frames, opening.version(), backend, lease, task.access(), instance, files)
          .serve();
    } finally {
      leases.remove(generation);
    }
  }

  private Conversation listening(Frames frames, TaskGreeter.Opening opening)
      throws TaskRefusedException {
    Lease lease = leases.get(opening.generation());
    if (lease == null
        || !lease.owner().equals(opening.owner())
        || !lease.applicationId().equals(opening.applicationId())) {
      throw TaskGreeter.badMessage(
          "no task of %s of user id %s has lease %s"
              .formatted(opening.applicationId(), opening.owner(), opening.generation()));
    }
    return () -> {
      try (Revocations.Subscription subscription = backend.memory().subscribe(lease)) {
        tellNotices(frames, opening.version(), subscription);
      }
    };
  }

  /**
   * Tells one task which memory to give back, over a connection of its own, until either side ends.
   * A message that breaks the protocol is answered with the reason and ends it, as does the end of
   * the lease.
   */
  private static void tellNotices(Frames frames, int version, Revocations.Subscription subscription)
      throws IOException {
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

  @Override
  public void close() throws IOException {
    synchronized (this) {
      closed = true;
    }
    Closer.all(acceptor::close, inFlight::close, () -> Files.deleteIfExists(socket));
  }
}
