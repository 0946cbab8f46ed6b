package io.sluice.node.remote;

import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.wire.Bounded;
import io.sluice.node.wire.DeadlineChannel;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.ProtocolException;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Replies;
import io.sluice.node.wire.Versions;
import io.sluice.node.wire.Versions.AgreedVersion;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.spill.segment.PoolPaths;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A reader's control connection to a node service: asks where outputs lie, and for copies in bounce
 * slots; the bytes come another way.
 *
 * <p>Thread contract: one thread. Ownership: its opener closes it. Failure: {@link RemoteError}
 * when the service refuses, with {@code UNKNOWN_APPLICATION} when it holds nothing of this
 * application. Another {@link IOException} when it cannot be reached, is something else, or cannot
 * prove that it holds the application's secret.
 */
public final class RemoteClient implements AutoCloseable {
  /** A reader ends a connection on which it asks nothing for so long, before any service does. */
  public static final long KEPT_IDLE_MS = 5_000;

  private static final int MAX_ATTEMPTS = 6;
  private static final long FIRST_PAUSE_MS = 10;

  private static final SecureRandom RANDOM = new SecureRandom();

  private final DeadlineChannel channel;
  private final Frames frames;
  private final long timeoutMs;
  private UUID poolId;
  private List<TransportOffer> offers;
  private boolean answered;

  private RemoteClient(DeadlineChannel channel, long timeoutMs) {
    this.channel = channel;
    this.frames = new Frames(channel);
    this.timeoutMs = timeoutMs;
  }

  /**
   * Connects, and proves and checks the application's secret. A service that hangs up before it has
   * heard the proof, in a crowd of others that connect, is asked again a few times.
   *
   * @throws RemoteError with BUSY if it takes no further connection now
   */
  public static RemoteClient connect(
      InetSocketAddress address, String applicationId, JobSecret secret, long timeoutMs)
      throws IOException {
    return connect(address, RemoteProtocol.VERSIONS, applicationId, secret, timeoutMs);
  }

  /** The same of a reader that speaks these versions. */
  static RemoteClient connect(
      InetSocketAddress address,
      Versions versions,
      String applicationId,
      JobSecret secret,
      long timeoutMs)
      throws IOException {
    long pauseMs = FIRST_PAUSE_MS;
    for (int attempt = 1; ; attempt++) {
      try {
        return connectOnce(address, versions, applicationId, secret, timeoutMs);
      } catch (EOFException e) {
        if (attempt == MAX_ATTEMPTS) {
          RemoteError busy =
              new RemoteError(
                  RemoteError.Code.BUSY,
                  ("the service at %s hangs up before it has heard the proof; if that lasts,"
                          + " raise its max-unproved-connections")
                      .formatted(address));
          busy.initCause(e);
          throw busy;
        }
        long millis = pauseMs / 2 + ThreadLocalRandom.current().nextLong(pauseMs);
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
        pauseMs *= 2;
      }
    }
  }

  private static RemoteClient connectOnce(
      InetSocketAddress address,
      Versions versions,
      String applicationId,
      JobSecret secret,
      long timeoutMs)
      throws IOException {
    DeadlineChannel channel = DeadlineChannel.connect(address, timeoutMs);
    try {
      RemoteClient client = new RemoteClient(channel, timeoutMs);
      client.authenticate(versions, applicationId, secret);
      return client;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, channel);
      throw e;
    }
  }

  private void authenticate(Versions versions, String applicationId, JobSecret secret)
      throws IOException {
    RemoteProtocol.Challenge challenge =
        RemoteProtocol.receiveChallenge(frames, versions, timeoutMs);
    AgreedVersion version = AgreedVersion.highest(challenge.versions(), versions);
    byte[] serverNonce = challenge.serverNonce();
    byte[] clientNonce = new byte[JobSecret.NONCE_BYTES];
    RANDOM.nextBytes(clientNonce);
    frames.send(
        RemoteProtocol.PROOF,
        out -> {
          out.writeShort(version.chosen());
          versions.write(out);
          Bounded.writeString(out, applicationId);
          Bounded.writeBytes(out, clientNonce);
          Bounded.writeBytes(
              out, secret.clientProof(serverNonce, clientNonce, applicationId, version));
        },
        timeoutMs);
    DataInputStream in = Replies.receive(frames, timeoutMs);
    byte[] proof = Bounded.readBytes(in, RemoteProtocol.MAX_PROOF_BYTES);
    if (!JobSecret.proofsEqual(
        secret.serverProof(serverNonce, clientNonce, applicationId, version), proof)) {
      throw new ProtocolException(
          "node service at " + frames.peer() + " does not hold the secret of " + applicationId);
    }
    poolId = new UUID(in.readLong(), in.readLong());
    int count = Bounded.readCount(in, RemoteProtocol.MAX_OFFERS, "offers");
    offers = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      offers.add(RemoteProtocol.readOffer(in));
    }
  }

  /** The pool of that node. */
  public UUID poolId() {
    return poolId;
  }

  /** The transports of that node, its preferred one first. */
  public List<TransportOffer> offers() {
    return offers;
  }

  /**
   * Asks where these partitions of these outputs lie, in several requests if they are many. An
   * output is described for all of the partitions, unreadable now, or absent.
   *
   * @param inlinedRunBytes up to which length the bytes of a run may come along; 0 for none
   * @param places of the pool, if its files can be opened here; else {@link PoolPaths#ELSEWHERE}
   */
  public OutputLocations describe(
      PartitionRange partitions, List<String> outputIds, int inlinedRunBytes, PoolPaths places)
      throws IOException {
    return new BatchedLocate((some, ids) -> describeOnce(some, ids, inlinedRunBytes, places))
        .ask(partitions, outputIds);
  }

  private OutputLocations describeOnce(
      PartitionRange partitions, List<String> outputIds, int inlinedRunBytes, PoolPaths places)
      throws IOException {
    frames.send(
        RemoteProtocol.DESCRIBE,
        out -> {
          out.writeInt(partitions.first());
          out.writeInt(partitions.end());
          out.writeInt(inlinedRunBytes);
          out.writeInt(outputIds.size());
          for (String outputId : outputIds) {
            Bounded.writeString(out, outputId);
          }
        },
        timeoutMs);
    return RemoteProtocol.readDescription(described(), partitions, poolId, places);
  }

  private DataInputStream described() throws IOException {
    try {
      return Replies.receive(frames, timeoutMs);
    } finally {
      answered |= frames.hasBegun();
    }
  }

  /**
   * Whether a question of {@link #describe}, which may ask several, was answered, or began to be.
   * The service may end the connection after that: to give its place to another reader, or because
   * the output that it describes at length leaves its place meanwhile.
   */
  public boolean isAnswered() {
    return answered;
  }

  /**
   * Has the service check the bytes of a partition of an output, where they lie.
   *
   * @return whether they are damaged; that partition is not described any more then
   */
  public boolean isDamaged(int partition, String outputId) throws IOException {
    DataInputStream in =
        ask(
            RemoteProtocol.VERIFY,
            out -> {
              out.writeInt(partition);
              Bounded.writeString(out, outputId);
            });
    return Bounded.readByteBelow(in, 2, "answers") == 1;
  }

  private DataInputStream ask(int type, Frames.Payload payload) throws IOException {
    frames.send(type, payload, timeoutMs);
    return Replies.receive(frames, timeoutMs);
  }

  /**
   * Asks for a ticket for one data connection.
   *
   * @param from the addresses of this host
   * @throws RemoteError with BUSY if the node takes no further one over this transport now
   */
  public Ticket admit(String transport, List<InetAddress> from) throws IOException {
    int count = Math.min(from.size(), RemoteProtocol.MAX_ADDRESSES);
    DataInputStream in =
        ask(
            RemoteProtocol.ADMIT,
            out -> {
              Bounded.writeString(out, transport);
              out.writeInt(count);
              for (InetAddress address : from.subList(0, count)) {
                Bounded.writeBytes(out, address.getAddress());
              }
            });
    return new Ticket(in.readLong(), in.readLong());
  }

  /**
   * Has bytes copied into a bounce slot, which this connection holds until {@link #release} or its
   * end. This connection is of no use after a failure that is not a {@link RemoteError}.
   */
  public BounceRange bounce(BounceRequest request, long withinMs) throws IOException {
    frames.send(RemoteProtocol.BOUNCE, request::write, withinMs);
    return BounceRange.read(Replies.receive(frames, withinMs));
  }

  /** Frees the application's outputs whose ids begin like this, which is not empty. */
  public void freeOutputs(String outputIdPrefix) throws IOException {
    if (outputIdPrefix.isEmpty()) {
      throw new IllegalArgumentException("an empty prefix would end the application");
    }
    free(outputIdPrefix);
  }

  /**
   * Frees the application's outputs whose ids are this prefix and a number below {@code end}: a
   * late request frees no output that is newer than it.
   */
  public void freeOutputsBelow(String outputIdPrefix, long end) throws IOException {
    ask(
        RemoteProtocol.FREE_BELOW,
        out -> {
          Bounded.writeString(out, outputIdPrefix);
          out.writeLong(end);
        });
  }

  /** Frees one output of the application, if it is there, and no other. */
  public void freeOutput(String outputId) throws IOException {
    ask(RemoteProtocol.FREE_OUTPUT, out -> Bounded.writeString(out, outputId));
  }

  /** The application has ended everywhere: nothing of it stays in the service. */
  public void applicationStopped() throws IOException {
    free("");
  }

  private void free(String prefix) throws IOException {
    ask(RemoteProtocol.FREE, out -> Bounded.writeString(out, prefix));
  }

  /** Gives a slot back; does not wait for an answer. */
  public void release(long ticket) throws IOException {
    frames.send(RemoteProtocol.RELEASE, out -> out.writeLong(ticket), timeoutMs);
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
