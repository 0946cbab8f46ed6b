package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.memory.OpenFilesLimit;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.support.Deadlines;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.segment.PoolPaths;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * The reading side of one task: locates outputs on any node and opens their runs, from their files
 * where they lie in the memory of this node's own pool, over a transport where they do not. What
 * lies on its disk tier is read through the service, too: in its order, ahead, and past the page
 * cache, which has no room for it where memory is so short that something lies there; only what no
 * transport reads is read from its file there, too.
 *
 * <p>Thread contract: {@link #locate} and {@link #fetch} from any thread; each run that it returns
 * is read by one thread at a time. Ownership: the task closes it, after all runs. Failure: {@link
 * IOException} when a node cannot be asked, or this is closed.
 */
public final class NodeReader implements AutoCloseable {
  private static final int MOST_CONNECTED = 256;
  private static final int FEWEST_CONNECTED = 4;

  private final String applicationId;
  private final JobSecret secret;
  private final Transports transports;
  private final LocalPool localPool;
  private final Timeouts timeouts;
  private final Deadlines idleWatch = new Deadlines("sluice-idle-connections");
  private final ReadStats stats = new ReadStats();
  private final KnownNodes nodes = new KnownNodes(this::newNode, mostConnected());
  private final SegmentMapper mapper;
  private final LocatedRuns.Task task;

  /**
   * For outputs that are not encrypted, or whose runs the caller decrypts.
   *
   * @param transports owned by this from now on
   * @param localPool the pool of this node, or null if it has none
   * @param timeouts of every exchange and read; one that waits longer for a busy node fails with
   *     {@link NodeBusyException}
   */
  public NodeReader(
      String applicationId,
      JobSecret secret,
      Transports transports,
      LocalPool localPool,
      Timeouts timeouts) {
    this(applicationId, secret, transports, localPool, null, timeouts);
  }

  /**
   * Nothing is opened yet.
   *
   * @param key that all outputs are encrypted with, whatever a node says of them, or null if they
   *     are not; the caller closes it after this
   */
  public NodeReader(
      String applicationId,
      JobSecret secret,
      Transports transports,
      LocalPool localPool,
      ShuffleKey key,
      Timeouts timeouts) {
    this.applicationId = applicationId;
    this.secret = secret;
    this.transports = transports;
    this.localPool = localPool;
    SegmentOpener opener = localPool == null ? SegmentOpener.BY_NAME : localPool.opener();
    this.mapper = new SegmentMapper(opener, id -> null); // each run knows where it is
    this.task = new LocatedRuns.Task(applicationId, mapper, key);
    this.timeouts = timeouts;
    FailureMeaning.load();
    idleWatch.every(RemoteClient.KEPT_IDLE_MS / 2, () -> nodes.tidy(System.nanoTime()));
  }

  /**
   * A node's answer about some outputs. An output that is in neither map is not there.
   *
   * @param runs their locations; null if there is no answer
   * @param outputs by output id, its offset there
   * @param unreadable by output id, why the node cannot read it now
   */
  public record Located(
      LocatedRuns runs, Map<String, Integer> outputs, Map<String, String> unreadable) {}

  /** Locates some partitions of some outputs. */
  public Located locateEach(NodeAddress address, PartitionRange partitions, List<String> outputIds)
      throws IOException {
    RemoteNode node = node(address);
    return located(node, node.describe(partitions, outputIds));
  }

  /**
   * The same for a caller that needs all of them.
   *
   * @return by output id, its runs, in the order of the partitions; an output that the node does
   *     not hold is absent
   * @throws RemoteError NOT_NOW if the node cannot read one of them now
   */
  public Map<String, List<NodeRun>> locate(
      NodeAddress address, PartitionRange partitions, List<String> outputIds) throws IOException {
    return locate(address, partitions, outputIds, 0);
  }

  /**
   * The same for readers that are about to read all of it: short runs, up to {@link
   * OutputLocations#MAX_INLINED_RUN_BYTES}, come with the answer, and are read without asking for
   * their bytes again, or opening their files; unless this reader is not to read over tcp, which
   * they come over.
   */
  public Map<String, List<NodeRun>> fetch(
      NodeAddress address, PartitionRange partitions, List<String> outputIds) throws IOException {
    boolean mayInline = transports.names().contains(TransportNames.TCP);
    int inlinedRunBytes = mayInline ? OutputLocations.MAX_INLINED_RUN_BYTES : 0;
    return locate(address, partitions, outputIds, inlinedRunBytes);
  }

  private Map<String, List<NodeRun>> locate(
      NodeAddress address, PartitionRange partitions, List<String> outputIds, int inlinedRunBytes)
      throws IOException {
    RemoteNode node = node(address);
    OutputLocations description = node.describe(partitions, outputIds, inlinedRunBytes);
    for (String why : description.unreadable().values()) {
      throw new RemoteError(RemoteError.Code.NOT_NOW, why);
    }
    Located located = located(node, description);
    Map<String, List<NodeRun>> all = new HashMap<>();
    located
        .outputs()
        .forEach(
            (outputId, output) -> {
              int[] offsets = located.runs().runsOf(output);
              List<LocatedRun> described = description.runs().get(outputId);
              List<NodeRun> runs = new ArrayList<>(offsets.length);
              for (int i = 0; i < offsets.length; i++) {
                byte[] inlined = description.inlined().get(described.get(i));
                runs.add(new NodeRun(located.runs(), offsets[i], inlined));
              }
              all.put(outputId, runs);
            });
    return all;
  }

  private Located located(RemoteNode node, OutputLocations description) {
    boolean local = node.isLocal();
    Map<String, Integer> outputs = new HashMap<>();
    LocatedRuns runs =
        new LocatedRuns(
            node,
            task,
            description,
            outputs,
            run ->
                local
                    && !description.inlined().containsKey(run)
                    && (isInMemory(run) || !isServed(node, run, description)));
    return new Located(runs, outputs, description.unreadable());
  }

  /**
   * The ones of these outputs that the node's service says it does not hold. Only its answer makes
   * an output absent.
   *
   * @throws IOException when it does not answer, or refuses to
   */
  public Set<String> absent(NodeAddress address, PartitionRange partitions, List<String> outputIds)
      throws IOException {
    Set<String> absent = new HashSet<>(outputIds);
    try {
      OutputLocations description = node(address).describe(partitions, outputIds);
      absent.removeAll(description.runs().keySet());
      absent.removeAll(description.unreadable().keySet());
    } catch (RemoteError e) {
      if (e.code() != RemoteError.Code.UNKNOWN_APPLICATION) {
        throw e;
      }
    }
    return absent;
  }

  /**
   * Has the node's service look at a partition of an output that came with a wrong checksum.
   *
   * @return whether the service finds it damaged where it lies: it then does not hold it any more
   * @throws IOException when it does not answer, or cannot read it now
   */
  public boolean isDamaged(NodeAddress address, int partition, String outputId) throws IOException {
    return node(address).isDamaged(partition, outputId);
  }

  /**
   * Makes a data connection to a node that has described something, so that it is known before
   * anything is read whether that can be.
   *
   * @throws IOException if none comes about, over no transport
   */
  public void reach(NodeAddress address) throws IOException {
    node(address).reach();
  }

  /** Each connection has three open files; an eighth of what may be opened is for them. */
  private static int mostConnected() {
    return Math.max(FEWEST_CONNECTED, Math.min(MOST_CONNECTED, OpenFilesLimit.shareOfRoom(3 * 8)));
  }

  private RemoteNode node(NodeAddress address) throws IOException {
    return nodes.at(address, System.nanoTime());
  }

  private RemoteNode newNode(NodeAddress address) {
    return new RemoteNode(
        address, applicationId, secret, transports, localPool, stats, timeouts, this::node);
  }

  private static boolean isInMemory(LocatedRun located) {
    return located.location().ranges().stream()
        .allMatch(range -> SegmentInfo.tierOf(range.segmentId()) == Tier.MEMORY);
  }

  /** Whether one transport reads all of it; segments that were not located are asked for again. */
  private static boolean isServed(
      RemoteNode node, LocatedRun located, OutputLocations description) {
    return located.location().ranges().stream()
        .map(range -> description.segments().get(range.segmentId()))
        .allMatch(segment -> segment == null || node.ways().isServed(segment));
  }

  /** How many windows there are; so many remote runs can be merged at once. */
  public int windowCount() {
    return transports.windowCount();
  }

  /** Shares windows out among runs that are about to be merged. */
  public void prepareMerge(List<NodeRun> runs) {
    int remoteRuns = 0;
    for (NodeRun run : runs) {
      remoteRuns += run.isLocal() ? 0 : 1;
    }
    int windows = remoteRuns == 0 ? 0 : windowCount() / remoteRuns;
    if (remoteRuns > 0 && windows == 0) {
      throw new IllegalArgumentException(
          remoteRuns + " remote runs cannot share " + windowCount() + " windows; merge in rounds");
    }
    for (NodeRun run : runs) {
      run.prepareMerge(windows);
    }
  }

  /** Reads so far. */
  public ReadStats stats() {
    return stats;
  }

  /** Data connections to all nodes. */
  int dataConnections() {
    return nodes.kept().stream().mapToInt(RemoteNode::dataConnections).sum();
  }

  @Override
  public void close() throws IOException {
    try (mapper;
        transports;
        idleWatch) {
      nodes.close();
    }
  }

  /**
   * The pool of the reader's own node, whose segments it reads itself.
   *
   * @param poolId as its service has said over the node's socket
   * @param places as it has announced there
   * @param opener opens its segments
   */
  public record LocalPool(UUID poolId, PoolPaths places, SegmentOpener opener) {}
}
