package io.sluice.node.local;

import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreFullException;
import java.io.EOFException;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import jdk.net.ExtendedSocketOptions;

/**
 * The service's side of {@link LocalProtocol}: one thread and one lease per connected task.
 *
 * <p>Only processes of the pool's own user are served; the kernel vouches for who they are. Thread
 * contract: safe from any thread. Ownership: the node service closes it, which ends every
 * connection; it does not close the store. Failure: a task that breaks the protocol loses its
 * connection and its lease, the others notice nothing.
 */
public final class LocalServer implements AutoCloseable {
  private static final long TIMEOUT_MS = 30_000;

  private final SpillStore store;
  private final SecretRegistry secrets;
  private final String ownUser;
  private final Path socket;
  private final Acceptor acceptor;

  private LocalServer(
      SpillStore store, SecretRegistry secrets, Path socket, ServerSocketChannel listener)
      throws IOException {
    this.store = store;
    this.secrets = secrets;
    this.socket = socket;
    this.ownUser = Files.getOwner(socket).getName();
    this.acceptor = new Acceptor("sluice-local", listener, this::serve);
  }

  /** Where the secrets go that tasks bring. */
  public interface SecretRegistry {
    /**
     * Keeps the secret of an application.
     *
     * @throws RemoteError if the application has another one already
     */
    void register(String applicationId, JobSecret secret) throws IOException;
  }

  /** Listens at {@code socket}, replacing what a dead service left there. */
  public static LocalServer start(SpillStore store, SecretRegistry secrets, Path socket)
      throws IOException {
    Files.deleteIfExists(socket);
    ServerSocketChannel listener = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      listener.bind(UnixDomainSocketAddress.of(socket));
      Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
      return new LocalServer(store, secrets, socket, listener);
    } catch (IOException | RuntimeException e) {
      listener.close();
      throw e;
    }
  }

  private void serve(DeadlineChannel channel) throws IOException {
    Frames frames = new Frames(channel);
    String user = channel.channel().getOption(ExtendedSocketOptions.SO_PEERCRED).user().getName();
    if (!user.equals(ownUser)) {
      Replies.sendError(
          frames,
          RemoteError.Code.REFUSED,
          "this pool belongs to user " + ownUser + " and serves no other; the task runs as " + user,
          TIMEOUT_MS);
      return;
    }
    String applicationId = hello(frames);
    try (Lease lease = store.openLease(applicationId)) {
      frames.send(Replies.OK, out -> LocalProtocol.writeInfo(out, lease.info()), TIMEOUT_MS);
      while (true) {
        Frames.Frame request = frames.receive(DeadlineChannel.NO_TIMEOUT, TIMEOUT_MS);
        answer(frames, request, lease, applicationId);
      }
    } catch (EOFException e) {
      // The task is done, or dead: the lease is closed either way.
    }
  }

  private String hello(Frames frames) throws IOException {
    Frames.Frame request = frames.receive(TIMEOUT_MS, TIMEOUT_MS);
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
    byte[] secret = Bounded.readBytes(request.in(), JobSecret.MAX_SECRET_BYTES);
    try {
      secrets.register(applicationId, new JobSecret(secret));
    } catch (RemoteError e) {
      Replies.sendError(frames, e.code(), e.getMessage(), TIMEOUT_MS);
      throw e;
    }
    return applicationId;
  }

  private void answer(Frames frames, Frames.Frame request, Lease lease, String applicationId)
      throws IOException {
    try {
      switch (request.type()) {
        case LocalProtocol.LEASE -> {
          List<Extent> extents = lease.lease(request.in().readLong());
          frames.send(Replies.OK, out -> LocalProtocol.writeExtents(out, extents), TIMEOUT_MS);
        }
        case LocalProtocol.LEASE_CONTIGUOUS -> {
          Extent extent = lease.leaseContiguous(request.in().readLong());
          frames.send(
              Replies.OK, out -> LocalProtocol.writeExtents(out, List.of(extent)), TIMEOUT_MS);
        }
        case LocalProtocol.RELEASE -> {
          lease.release(LocalProtocol.readExtents(request.in()));
          frames.send(Replies.OK, out -> {}, TIMEOUT_MS);
        }
        case LocalProtocol.COMMIT -> {
          OutputId id = new OutputId(applicationId, Bounded.readString(request.in()));
          FooterLocation footer =
              new FooterLocation(request.in().readInt(), request.in().readLong());
          lease.commit(id, footer);
          frames.send(Replies.OK, out -> {}, TIMEOUT_MS);
        }
        default -> throw new ProtocolException("unknown request type " + request.type());
      }
    } catch (StoreFullException e) {
      Replies.sendError(frames, RemoteError.Code.FULL, e.getMessage(), TIMEOUT_MS);
    } catch (CorruptOutputException | IllegalArgumentException | ProtocolException e) {
      Replies.sendError(frames, RemoteError.Code.BAD_REQUEST, e.toString(), TIMEOUT_MS);
    }
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
    Files.deleteIfExists(socket);
  }
}
