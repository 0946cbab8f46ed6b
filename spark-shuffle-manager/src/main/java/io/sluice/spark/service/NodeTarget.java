package io.sluice.spark.service;

import io.sluice.node.client.LocalPool;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.remote.RemoteClient;
import io.sluice.node.socket.ServiceAnnouncement;
import io.sluice.node.socket.ServiceFile;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.rdma.threads.SafeLog;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.BlockNames;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.FreedShuffles;
import io.sluice.spark.pool.FreedShuffles.Attempt;
import io.sluice.spark.pool.MapOutput;
import io.sluice.spark.pool.OutputTarget;
import io.sluice.spark.pool.PoolEndpoint;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.spark.SparkConf;
import org.apache.spark.TaskContext;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of this node's service, as an executor uses it. Unlike an executor's own, it outlives
 * the executor: only the driver frees what is in it.
 *
 * <p>While it is open it shows itself to the service from time to time, which else takes the
 * application for dead some day.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executor side closes it; the outputs
 * stay. Failure: {@link IOException} if the service is not there; it may be the next time.
 */
public final class NodeTarget implements OutputTarget, Closeable {
  /** Nobody's task: a peer reads. */
  public static final long NO_TASK = -1;

  private static final Logger LOG = LoggerFactory.getLogger(NodeTarget.class);
  private static final long SHOW_PERIOD_S = 60;

  private final ExecutorTransports transports;
  private final ShuffleCounters counters;
  private final String applicationId;
  private final JobSecret secret;
  private final ShuffleKey key;
  private final String service;
  private final long timeoutMs;
  private final String host;
  private final FreedShuffles freed = new FreedShuffles();
  private final Map<Long, TaskReads> tasks = new ConcurrentHashMap<>(); // by attempt
  private final TaskReads ofPeers = new TaskReads();
  private final ScheduledExecutorService shower =
      Executors.newSingleThreadScheduledExecutor(
          work -> DaemonThreads.create("sluice-show-to-service", work));
  private volatile Found found;
  private IOException failure; // of the last attempt if it took long; these three under its lock
  private long failedNs;
  private long failureTookNs;

  /** A service, and whose it is. */
  private record Service(Owner owner, ServiceAddress address) {}

  /** What was found there; the connection is kept for the reader, to be handed what it reads. */
  private record Found(
      Service service, SocketClient client, NodeReader reader, UUID poolId, Medium medium)
      implements Closeable {
    ServiceAddress address() {
      return service.address();
    }

    @Override
    public void close() throws IOException {
      Closer.all(reader::close, client);
    }
  }

  /**
   * Asks nothing yet.
   *
   * @param counters told of what is written
   * @param key that outputs are encrypted with, which stays the caller's, or null if they are not
   * @param service {@link SparkSettings#YARN_SERVICE}, or the service's directory
   * @param host this executor's, where the service can be read from if it does not say otherwise
   */
  public NodeTarget(
      SparkConf conf,
      ExecutorTransports transports,
      ShuffleCounters counters,
      ShuffleKey key,
      String applicationId,
      String service,
      String host) {
    UnaryOperator<String> settings = SparkSettings.of(conf);
    this.transports = transports;
    this.counters = counters;
    this.applicationId = applicationId;
    this.secret = ApplicationSecret.of(conf);
    this.key = key;
    this.service = service;
    this.timeoutMs = SparkSettings.IO_TIMEOUT_MS.get(settings);
    this.host = host;
    shower.scheduleWithFixedDelay(this::show, SHOW_PERIOD_S, SHOW_PERIOD_S, TimeUnit.SECONDS);
  }

  /**
   * Finds the service, and makes the application known to it. One that did not answer is left alone
   * for as long as that took: the tasks that wait here meanwhile would wait as long one after the
   * other.
   */
  public synchronized void connect() throws IOException {
    long beganNs = System.nanoTime();
    if (failure != null && beganNs - failedNs < failureTookNs) {
      throw new IOException("not asked again so soon: " + ErrorText.of(failure), failure);
    }
    try {
      find();
      failure = null;
    } catch (IOException e) {
      failedNs = System.nanoTime();
      failureTookNs = failedNs - beganNs;
      boolean silent = failureTookNs >= TimeUnit.MILLISECONDS.toNanos(timeoutMs) / 2;
      failure = silent && !Thread.currentThread().isInterrupted() ? e : null;
      throw e;
    }
  }

  private void find() throws IOException {
    Service at = lookUp();
    Found former = found;
    SocketClient client = connect(at);
    try {
      UUID poolId = client.info().poolId();
      if (former != null && former.service().equals(at) && former.poolId().equals(poolId)) {
        client.close();
        return;
      }
      Medium medium = MediumChooser.choose(at.address().medium(), client.places()).medium();
      LocalPool local = new LocalPool(poolId, client.places(), client.opener());
      found = new Found(at, client, newReader(local), poolId, medium);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, client);
      throw e;
    }
    if (former != null) {
      closeReads(false); // they are the former reader's
      former.close();
    }
  }

  /** What they hold goes back; the tasks find the blocks anew unless this is closed. */
  private void closeReads(boolean forEver) throws IOException {
    List<Closeable> all = new ArrayList<>();
    for (TaskReads each : tasks.values()) {
      all.add(forEver ? each : each::closeStreams);
    }
    all.add(forEver ? ofPeers : ofPeers::closeStreams);
    Closer.all(all);
  }

  private Service lookUp() throws IOException {
    if (service.equals(SparkSettings.YARN_SERVICE)) {
      NodeMetadata metadata = ServiceAnnouncement.find(System.getenv());
      return new Service(metadata.owner(), metadata.address());
    }
    return new Service(Owner.ofThisProcess(), ServiceFile.read(Path.of(service)));
  }

  private NodeReader newReader(LocalPool local) throws IOException {
    return new NodeReader(
        applicationId, secret, transports.forReading(), local, key, Timeouts.all(timeoutMs));
  }

  private SocketClient connect(Service at) throws IOException {
    return SocketClient.connect(
        at.address().socket(), at.owner(), applicationId, secret, timeoutMs);
  }

  private void show() {
    if (found != null) {
      try {
        connect();
      } catch (IOException e) {
        LOG.info("The node's service cannot be reached at the moment: {}", e.toString());
      } catch (RuntimeException | Error e) { // else nobody would show it again
        SafeLog.warn(LOG, "{} could not be shown to the node's service", applicationId, e);
      }
    }
  }

  @Override
  public BlockManagerId location(BlockManagerId executor) {
    ServiceAddress address = found.address();
    return PoolEndpoint.withService(executor, address.host(), address.controlPort());
  }

  @Override
  public Attempt begin(int shuffleId) {
    return freed.begin(shuffleId);
  }

  @Override
  public MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) throws IOException {
    Found at = found;
    SocketClient client = connect(at.service());
    OutputId id = new OutputId(applicationId, BlockNames.output(attempt.shuffleId(), mapId));
    return new MapOutput(
        this,
        attempt,
        client,
        () -> new OutputWriter(client, at.medium(), partitionCount, MapOutput.LEASE_BYTES),
        id,
        MapOutput.maxRuns(partitionCount),
        key == null ? null : () -> key.newOutput(id, partitionCount));
  }

  /**
   * The driver has had a shuffle freed everywhere; what attempts that have begun commit yet must
   * not stay.
   */
  public void free(int shuffleId) {
    freed.add(shuffleId);
  }

  @Override
  public void committed(Attempt attempt, OutputId id, long lengthBytes) throws IOException {
    counters.wroteToService(lengthBytes);
    if (freed.isFreed(attempt)) {
      try (RemoteClient client =
          RemoteClient.connect(address().control(), applicationId, secret, timeoutMs)) {
        client.freeOutput(id.outputId());
      }
    }
  }

  private NodeAddress address() {
    return found.address().control(host);
  }

  /** A task is about to read here; {@link #forget} ends that. */
  public void beginReads(long taskAttemptId) {
    reads(taskAttemptId);
  }

  private TaskReads reads(long taskAttemptId) {
    return tasks.computeIfAbsent(taskAttemptId, id -> new TaskReads());
  }

  /**
   * A task is about to read partitions of these map tasks' outputs here; they are located together
   * as soon as it wants the first. {@link #forget} ends that.
   */
  public void expect(
      long taskAttemptId, int shuffleId, Collection<Long> mapIds, PartitionRange all) {
    if (found == null) {
      return;
    }
    List<String> outputs =
        mapIds.stream().map(mapId -> BlockNames.output(shuffleId, mapId)).toList();
    reads(taskAttemptId)
        .ahead()
        .add(
            new LocatePrefetch<>(
                all,
                outputs,
                NodeRun::partition,
                (partitions, some, isFirst) ->
                    isFirst
                        ? found.reader().fetch(address(), partitions, some)
                        : found.reader().locate(address(), partitions, some)));
  }

  /** Of how many tasks something is located ahead, or is to be. */
  int tasksAhead() {
    return (int) tasks.values().stream().filter(reads -> !reads.ahead().isEmpty()).count();
  }

  /** How many streams are open, whoever reads them. */
  int openStreams() {
    return ofPeers.openStreams() + tasks.values().stream().mapToInt(TaskReads::openStreams).sum();
  }

  /** The task has ended: what it has not read to its end gives back what it holds. */
  public void forget(long taskAttemptId) {
    TaskReads reads = tasks.remove(taskAttemptId);
    try {
      Closer.all(reads);
    } catch (IOException | RuntimeException e) { // the task has read what it wanted
      LOG.warn("A block that task {} has not read to its end was not closed", taskAttemptId, e);
    }
  }

  /**
   * Some partitions of a map task's output; empty if it is not here.
   *
   * @param taskAttemptId who reads it, after {@link #beginReads}, or {@link #NO_TASK}
   */
  public Optional<NodeBlock> block(
      long taskAttemptId, int shuffleId, long mapId, PartitionRange partitions) throws IOException {
    if (found == null) {
      return Optional.empty();
    }
    TaskReads known = taskAttemptId == NO_TASK ? ofPeers : tasks.get(taskAttemptId);
    TaskReads reads = known == null ? ofRunningTask(taskAttemptId) : known;
    String output = BlockNames.output(shuffleId, mapId);
    NodeBlock.Finder finder = () -> locate(output, partitions);
    Optional<LocatedBlock> block = takeAhead(reads, output, partitions);
    return (block.isPresent() ? block : finder.find())
        .map(located -> new NodeBlock(output, located, finder, reads));
  }

  /** Of a task that has announced no reads: it reads a shuffle that is left to Spark. */
  private TaskReads ofRunningTask(long taskAttemptId) throws IOException {
    TaskContext context = TaskContext.get();
    if (context == null || context.taskAttemptId() != taskAttemptId || context.isCompleted()) {
      throw new IOException("task " + taskAttemptId + " has ended, and reads no further block");
    }
    beginReads(taskAttemptId);
    context.addTaskCompletionListener(
        task -> {
          forget(taskAttemptId);
        });
    return tasks.get(taskAttemptId);
  }

  private Optional<LocatedBlock> takeAhead(
      TaskReads reads, String output, PartitionRange partitions) throws IOException {
    Found before = found;
    for (LocatePrefetch<NodeRun> each : reads.ahead()) {
      Optional<List<NodeRun>> runs = each.take(output, partitions);
      if (found != before) {
        return Optional.empty(); // the reader that has located them is closed
      }
      if (each.isTaken()) {
        reads.ahead().remove(each); // a task may read thousands of partitions, one after the other
      }
      if (runs.isPresent()) {
        return runs.map(LocatedBlock::new);
      }
    }
    return Optional.empty();
  }

  /** Finds it, to be read once; whoever reads it closes it. */
  private Optional<LocatedBlock> locate(String output, PartitionRange partitions)
      throws IOException {
    List<NodeRun> runs = found.reader().locate(address(), partitions, List.of(output)).get(output);
    return Optional.ofNullable(runs).map(LocatedBlock::new);
  }

  @Override
  public synchronized void close() throws IOException {
    shower.shutdownNow();
    Closer.all(() -> closeReads(true), found);
  }
}
