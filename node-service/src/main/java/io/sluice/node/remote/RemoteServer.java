package io.sluice.node.remote;

import io.sluice.node.remote.ProbeMessages.ProbeOffer;
import io.sluice.node.remote.RemoteBackend.AuthenticatedReader;
import io.sluice.node.socket.Refusals;
import io.sluice.node.socket.Refusals.RefusalKind;
import io.sluice.node.wire.Acceptor;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.Listener;
import io.sluice.node.wire.MessageStream;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.node.wire.Versions.AgreedVersion;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.ConnectionCounters;
import io.sluice.rdma.transport.ConnectionLimits;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.security.SecureRandom;
import java.util.List;
import java.util.Map;

/**
 * The service's side of {@link RemoteProtocol}: listens, and lets in readers that authenticate.
 *
 * <p>Thread contract: one thread for each connected reader. Ownership: the node service closes it.
 * Failure: a reader that cannot prove the secret is refused and learns nothing else; one that can
 * is answered BUSY when as many are connected as the limits allow.
 */
public final class RemoteServer implements AutoCloseable {
  private static final SecureRandom RANDOM = new SecureRandom();
  private static final long TIMEOUT_MS = 30_000;
  private static final String SELF = "this service";

  private final RemoteBackend backend;
  private final Versions versions;
  private final Refusals refusals;
  private final ServerSocketChannel listener;
  private final ConnectionLimits limits;
  private final Acceptor acceptor;

  private RemoteServer(
      RemoteBackend backend,
      Versions versions,
      ServerSocketChannel listener,
      Refusals refusals,
      ConnectionLimits limits) {
    this.backend = backend;
    this.versions = versions;
    this.refusals = refusals;
    this.listener = listener;
    this.limits = limits;
    this.acceptor =
        new Acceptor("sluice-remote", new Listener.OfChannel(listener), limits, this::serve);
  }

  /** Listens at {@code address}; port 0 takes a free one. It counts refused readers. */
  public static RemoteServer start(
      RemoteBackend backend, InetSocketAddress address, Refusals refusals, ConnectionLimits limits)
      throws IOException {
    return start(backend, RemoteProtocol.VERSIONS, address, refusals, limits);
  }

  /** The same of a service that speaks these versions. */
  static RemoteServer start(
      RemoteBackend backend,
      Versions versions,
      InetSocketAddress address,
      Refusals refusals,
      ConnectionLimits limits)
      throws IOException {
    ServerSocketChannel listener = ServerSocketChannel.open();
    try {
      bind(listener, address);
      return new RemoteServer(backend, versions, listener, refusals, limits);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, listener);
      throw e;
    }
  }

  /** Fails as {@link #start} would if the address is not free now; changes nothing. */
  public static void checkFree(InetSocketAddress address) throws IOException {
    try (ServerSocketChannel listener = ServerSocketChannel.open()) {
      bind(listener, address);
    }
  }

  private static void bind(ServerSocketChannel listener, InetSocketAddress address)
      throws IOException {
    try {
      listener.bind(address, ConnectionLimits.BACKLOG);
    } catch (IOException e) {
      throw new IOException(
          ("cannot listen for control connections at %s: %s; choose an address of this host"
                  + " and a free port")
              .formatted(address, ErrorText.of(e)),
          e);
    }
  }

  /** The bound port. */
  public int port() throws IOException {
    return ((InetSocketAddress) listener.getLocalAddress()).getPort();
  }

  /** How many connections each user has; null's are those of the only one. */
  public Map<Object, Integer> connectionsOfUsers() {
    return acceptor.held();
  }

  /** Connections that came, by their fate. */
  public ConnectionCounters counters() {
    return acceptor.counters();
  }

  private void serve(MessageStream stream, Acceptor.Peer peer) throws IOException {
    Frames frames = new Frames(stream);
    byte[] serverNonce = challenge(frames);
    Frames.Frame hello = frames.receiveHello(TIMEOUT_MS);
    if (hello.type() == RemoteProtocol.PROBE) {
      answerProbe(frames, hello.in());
      return;
    }
    Authenticated known = authenticate(frames, hello, serverNonce);
    if (known == null) {
      return;
    }
    String applicationId = known.applicationId();
    try (AuthenticatedReader reader = backend.open(applicationId)) {
      if (!peer.authenticated(reader.sharer())) {
        Replies.sendError(
            frames,
            RemoteError.Code.BUSY,
            "as many readers are connected as this node takes, "
                + limits.maxConnections()
                + " in all; raise max-connections of its service for more",
            TIMEOUT_MS);
        return;
      }
      welcome(frames, known.answer(), reader.offers());
      new ReaderSession(frames, backend, applicationId, reader, peer, limits.idleTimeoutMs())
          .serve();
    }
  }

  /** A reader that has proved its application's secret, and this side's proof for the reader. */
  private record Authenticated(String applicationId, byte[] answer) {}

  private byte[] challenge(Frames frames) throws IOException {
    byte[] serverNonce = new byte[JobSecret.NONCE_BYTES];
    RANDOM.nextBytes(serverNonce);
    frames.send(
        RemoteProtocol.CHALLENGE,
        out -> {
          out.writeInt(RemoteProtocol.MAGIC);
          versions.write(out);
          Bounded.writeBytes(out, serverNonce);
        },
        TIMEOUT_MS);
    return serverNonce;
  }

  private void answerProbe(Frames frames, DataInputStream in) throws IOException {
    versions.readChosen(in, "the program that probes", SELF);
    List<ProbeOffer> offers = backend.probe();
    frames.send(Replies.OK, out -> ProbeMessages.write(out, offers), TIMEOUT_MS);
  }

  private Authenticated authenticate(Frames frames, Frames.Frame request, byte[] serverNonce)
      throws IOException {
    if (request.type() != RemoteProtocol.PROOF) {
      throw new ProtocolException("a reader answered with message type " + request.type());
    }
    int chosen = versions.readChosen(request.in(), "the reader", SELF);
    AgreedVersion version =
        new AgreedVersion(versions, versions.readOf(request.in(), "the reader", SELF), chosen);
    String applicationId = Bounded.readString(request.in());
    byte[] clientNonce = Bounded.readBytes(request.in(), JobSecret.NONCE_BYTES);
    byte[] proof = Bounded.readBytes(request.in(), RemoteProtocol.MAX_PROOF_BYTES);
    JobSecret secret = backend.secretOf(applicationId);
    if (secret == null) {
      Replies.sendError(
          frames,
          RemoteError.Code.UNKNOWN_APPLICATION,
          "this node holds nothing of " + applicationId,
          TIMEOUT_MS);
      return null;
    }
    if (!JobSecret.proofsEqual(
        secret.clientProof(serverNonce, clientNonce, applicationId, version), proof)) {
      String why = "the reader does not hold the secret of " + applicationId;
      refusals.add(RefusalKind.WRONG_SECRET, why + ", from " + frames.peer());
      Replies.sendError(frames, RemoteError.Code.REFUSED, why, TIMEOUT_MS);
      return null;
    }
    return new Authenticated(
        applicationId, secret.serverProof(serverNonce, clientNonce, applicationId, version));
  }

  private void welcome(Frames frames, byte[] proof, List<TransportOffer> offers)
      throws IOException {
    frames.send(
        Replies.OK,
        out -> {
          Bounded.writeBytes(out, proof);
          out.writeLong(backend.poolId().getMostSignificantBits());
          out.writeLong(backend.poolId().getLeastSignificantBits());
          out.writeInt(offers.size());
          for (TransportOffer offer : offers) {
            RemoteProtocol.writeOffer(out, offer);
          }
        },
        TIMEOUT_MS);
  }

  @Override
  public void close() throws IOException {
    acceptor.close();
  }
}
