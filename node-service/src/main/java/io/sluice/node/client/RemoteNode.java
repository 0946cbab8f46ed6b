package io.sluice.node.client;

import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.remote.TransportOffer;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.support.HostAddresses;
import io.sluice.spill.segment.PoolPaths;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Another node's service as one task sees it: it is asked where outputs lie, and read over a
 * connection for each transport. {@link NodeTransports} knows which of these lead there.
 *
 * <p>Thread contract: safe from any thread. Ownership: the task closes it, after the inputs that
 * read through it. Failure: {@link IOException} when the node cannot be asked or no transport is
 * left.
 */
public final class RemoteNode implements AutoCloseable {
  private final NodeAddress address;
  private final String applicationId;
  private final JobSecret secret;
  private final Transports transports;
  private final LocalPool localPool; // null if there is none
  private final ReadStats stats;
  private final Timeouts timeouts;
  private final BeforeAsking beforeAsking;
  private final DataLinks links;
  private final NodeTransports ways;
  private BounceReads bounceReads; // null until something is to be bounced
  private final ControlConnections controls;
  private UUID poolId;
  private boolean closed;

  /** Told each time before a node is asked anything, which may connect to it. */
  interface BeforeAsking {
    /**
     * Its owner keeps it from now on.
     *
     * @throws IOException if it has none any more
     */
    void asks(NodeAddress address) throws IOException;
  }

  /** Nothing is connected yet. */
  RemoteNode(
      NodeAddress address,
      String applicationId,
      JobSecret secret,
      Transports transports,
      LocalPool localPool,
      ReadStats stats,
      Timeouts timeouts,
      BeforeAsking beforeAsking) {
    this.address = address;
    this.applicationId = applicationId;
    this.secret = secret;
    this.transports = transports;
    this.localPool = localPool;
    this.stats = stats;
    this.timeouts = timeouts;
    this.beforeAsking = beforeAsking;
    this.ways = new NodeTransports(name(), transports, stats);
    this.links =
        new DataLinks(
            new LinkConnector(), transports.linkLimit(), ThreadLocalRandom.current().nextInt());
    this.controls = new ControlConnections(this::connectAndLearn, timeouts.exchangeMs());
  }

  /** How messages call it. */
  public String name() {
    return address.name();
  }

  /** Where it is. */
  NodeAddress address() {
    return address;
  }

  /** Whether there is a connection to it, of any kind. */
  boolean isConnected() {
    return links.count() > 0 || controls.isConnected() || isBouncing();
  }

  /** Whether its pool is that of this node; known after the first {@link #describe}. */
  synchronized boolean isLocal() {
    return isLocal(poolId);
  }

  /**
   * Asks where these partitions of these outputs lie, and on which transports they are served.
   *
   * @throws NodeBusyException if the service takes no further connection now
   */
  public OutputLocations describe(PartitionRange partitions, List<String> outputIds)
      throws IOException {
    return describe(partitions, outputIds, 0);
  }

  /** The same, with the bytes of runs of up to {@code inlinedRunBytes}. */
  OutputLocations describe(PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    OutputLocations description = askWhere(partitions, outputIds, inlinedRunBytes);
    if (description.segments().values().stream().allMatch(ways::isServed)) {
      return description;
    }
    controls.closeKept(); // a new connection learns of slots that are offered since
    return askWhere(partitions, outputIds, inlinedRunBytes);
  }

  private OutputLocations askWhere(
      PartitionRange partitions, List<String> outputIds, int inlinedRunBytes) throws IOException {
    return ask(
        client -> client.describe(partitions, outputIds, inlinedRunBytes, places(client.poolId())));
  }

  /** Where the segments of a pool lie, as far as they can be opened here. */
  PoolPaths places(UUID ofPool) {
    return isLocal(ofPool) ? localPool.places() : PoolPaths.ELSEWHERE;
  }

  /** Whether the service finds this partition damaged where it lies. */
  boolean isDamaged(int partition, String outputId) throws IOException {
    return ask(client -> client.isDamaged(partition, outputId));
  }

  private boolean isLocal(UUID described) {
    return localPool != null && localPool.poolId().equals(described);
  }

  private <T> T ask(ControlConnections.Question<T> question) throws IOException {
    beforeAsking.asks(address);
    try {
      return controls.ask(question);
    } catch (RemoteError e) {
      throw comeLaterIfBusy(e);
    }
  }

  /** The refusal, or {@link NodeBusyException} if the service only has no place now. */
  private IOException comeLaterIfBusy(RemoteError refusal) {
    if (refusal.code() != RemoteError.Code.BUSY) {
      return refusal;
    }
    stats.refused();
    return new NodeBusyException(name() + " is busy: " + refusal.getMessage(), refusal);
  }

  /**
   * A control connection of its own for bounced reads; the caller closes it. If there is no place
   * for it, those that are kept for questions give up theirs: readers that each hold one and wait
   * for a second would keep each other waiting.
   *
   * @throws NodeBusyException if the service takes no further connection now
   */
  private RemoteClient connectToBounce(long withinMs) throws IOException {
    beforeAsking.asks(address);
    try {
      return connectControl(withinMs);
    } catch (RemoteError e) {
      if (e.code() == RemoteError.Code.BUSY) {
        controls.closeKept();
      }
      throw comeLaterIfBusy(e);
    }
  }

  private RemoteClient connectControl(long withinMs) throws IOException {
    return RemoteClient.connect(address.control(), applicationId, secret, withinMs);
  }

  private RemoteClient connectAndLearn() throws IOException {
    RemoteClient client = connectControl(timeouts.exchangeMs());
    learn(client);
    return client;
  }

  private void learn(RemoteClient client) {
    synchronized (this) {
      poolId = client.poolId();
    }
    ways.offered(client.offers());
  }

  /** The transports that lead to it. */
  NodeTransports ways() {
    return ways;
  }

  /** Reads through this node's bounce slots. */
  synchronized BounceReads bounceReads() {
    if (bounceReads == null) {
      bounceReads =
          new BounceReads(name(), timeouts.exchangeMs(), this::connectToBounce, ways::rails, links);
      if (closed) {
        bounceReads.close(); // it refuses, as one that was used before
      }
    }
    return bounceReads;
  }

  private synchronized BounceReads madeBounceReads() {
    return bounceReads;
  }

  private boolean isBouncing() {
    BounceReads made = madeBounceReads();
    return made != null && made.isConnected();
  }

  /**
   * Reads over {@code transport} from where the node serves it now.
   *
   * @throws NodeBusyException if the service takes no further data connection now
   */
  CompletableFuture<Void> read(
      String transport,
      RegionDescriptor region,
      long offsetBytes,
      RegisteredBuffer destination,
      int lengthBytes,
      long withinMs)
      throws TransportException {
    return links.read(
        ways.rails(transport), region, offsetBytes, destination, lengthBytes, withinMs);
  }

  /**
   * Connects to where the node serves its data, over the best transport that leads there; those
   * that do not are given up, but for what {@link NodeTransports#isShort this process lacks}.
   * Nothing is done for a node that serves nothing to this task.
   *
   * @throws TransportException if none leads there
   */
  void reach() throws TransportException {
    for (Optional<String> best = ways.best(); best.isPresent(); best = ways.best()) {
      try {
        links.connect(ways.rails(best.get()));
        return;
      } catch (NodeBusyException e) {
        return; // it is there
      } catch (TransportException e) {
        if (ways.isShort(e) || !ways.giveUp(best.get(), e)) {
          throw e;
        }
      }
    }
  }

  /** How {@link DataLinks} connects. */
  private final class LinkConnector implements DataLinks.Connector {
    @Override
    public Ticket admit(String transport) throws TransportException {
      try {
        return ask(client -> client.admit(transport, HostAddresses.ofConnections()));
      } catch (TransportException e) {
        throw e;
      } catch (IOException e) {
        throw new ConnectFailedException(
            name() + " gives no ticket for " + transport + ": " + ErrorText.of(e), e);
      }
    }

    @Override
    public Connection connect(TransportOffer offer, Ticket ticket) throws TransportException {
      InetSocketAddress remote =
          offer.host().isEmpty()
              ? new InetSocketAddress(address.control().getAddress(), offer.port())
              : new InetSocketAddress(offer.host(), offer.port());
      try {
        return transports
            .endpoint(offer.transport())
            .connect(remote, ticket, timeouts.exchangeMs());
      } catch (ConnectFailedException e) {
        if (e.isLater()) {
          stats.refused();
          throw new NodeBusyException(name() + " is busy: " + e.getMessage(), e);
        }
        throw e;
      }
    }
  }

  /** Ends every connection that was not used lately; it is made again when it is needed. */
  void closeIdle() {
    links.closeIdle();
    controls.closeIdle();
    BounceReads made = madeBounceReads();
    if (made != null) {
      made.closeIdle();
    }
  }

  /** Ends the control connections that are kept for further questions. */
  void endKept() {
    controls.closeKept();
  }

  /** How many data connections there are. */
  int dataConnections() {
    return links.count();
  }

  Transports pools() {
    return transports;
  }

  ReadStats stats() {
    return stats;
  }

  /** How long its readers wait for it. */
  Timeouts timeouts() {
    return timeouts;
  }

  @Override
  public void close() {
    try {
      closeBounceReads();
    } finally { // without a list of them: there may be no memory for one
      try {
        controls.close();
      } finally {
        links.close();
      }
    }
  }

  private void closeBounceReads() {
    BounceReads made;
    synchronized (this) {
      closed = true;
      made = bounceReads;
    }
    if (made != null) {
      made.close(); // not under the lock, which a read that starts there may need
    }
  }
}
