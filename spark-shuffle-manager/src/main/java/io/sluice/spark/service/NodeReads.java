package io.sluice.spark.service;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.remote.PartitionRange;
import io.sluice.rdma.memory.Closer;
import io.sluice.spark.pool.BlockRange;
import io.sluice.spark.service.NodeBlock.LocatedBlock;
import io.sluice.spark.service.ServiceConnection.Connected;
import java.io.Closeable;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.apache.spark.TaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The blocks that this executor reads in the pool of its node's service: its tasks, and peers that
 * ask through Spark. It keeps the open streams of each task until the task ends.
 *
 * <p>Thread contract: safe from any thread. Ownership: the {@link ServiceConnection} closes it, and
 * with it all open streams. Failure: {@link IOException} if the service is gone, or if a task reads
 * on after its end.
 */
public final class NodeReads implements Closeable {
  /** In place of a task's attempt id: a peer reads. */
  public static final long NO_TASK = -1;

  private static final Logger LOG = LoggerFactory.getLogger(NodeReads.class);

  private final ServiceConnection service;
  private final Map<Long, TaskReads> tasks = new ConcurrentHashMap<>(); // by attempt
  private final TaskReads ofPeers = new TaskReads();

  NodeReads(ServiceConnection service) {
    this.service = service;
  }

  /** A task begins to read here; {@link #forget} ends that. */
  public void beginReads(long taskAttemptId) {
    reads(taskAttemptId);
  }

  private TaskReads reads(long taskAttemptId) {
    return tasks.computeIfAbsent(taskAttemptId, id -> new TaskReads());
  }

  /**
   * Announces that a task will read these partitions of these map tasks' outputs. When the task
   * asks for the first of them, many are located with one request. {@link #forget} ends that.
   */
  public void expect(
      long taskAttemptId, int shuffleId, Collection<Long> mapIds, PartitionRange all) {
    if (service.connected() == null) {
      return;
    }
    List<String> outputs =
        mapIds.stream().map(mapId -> BlockRange.output(shuffleId, mapId)).toList();
    reads(taskAttemptId)
        .ahead()
        .add(new LocatePrefetch<>(all, outputs, NodeRun::partition, this::locate));
  }

  private Map<String, List<NodeRun>> locate(
      PartitionRange partitions, List<String> outputs, boolean isFirst) throws IOException {
    Connected at = service.connected();
    NodeReader reader = at.reader();
    return isFirst
        ? reader.fetch(service.address(at), partitions, outputs)
        : reader.locate(service.address(at), partitions, outputs);
  }

  /** How many tasks have announced outputs and not taken all of them. */
  int tasksAhead() {
    return (int) tasks.values().stream().filter(reads -> !reads.ahead().isEmpty()).count();
  }

  /** How many streams are open, of tasks and of peers. */
  int openStreams() {
    return ofPeers.openStreams() + tasks.values().stream().mapToInt(TaskReads::openStreams).sum();
  }

  /** The task has ended: streams that it left open are closed. */
  public void forget(long taskAttemptId) {
    TaskReads reads = tasks.remove(taskAttemptId);
    try {
      Closer.all(reads);
    } catch (IOException | RuntimeException e) { // the task has read what it wanted
      LOG.warn("A stream that task {} left open could not be closed", taskAttemptId, e);
    }
  }

  /**
   * Some partitions of a map task's output; empty if the output is not here.
   *
   * @param taskAttemptId the reading task, after {@link #beginReads}, or {@link #NO_TASK}
   */
  public Optional<NodeBlock> block(
      long taskAttemptId, int shuffleId, long mapId, PartitionRange partitions) throws IOException {
    if (service.connected() == null) {
      return Optional.empty();
    }
    TaskReads known = taskAttemptId == NO_TASK ? ofPeers : tasks.get(taskAttemptId);
    TaskReads reads = known == null ? ofRunningTask(taskAttemptId) : known;
    String output = BlockRange.output(shuffleId, mapId);
    Optional<LocatedBlock> block = takeAhead(reads, output, partitions);
    return (block.isPresent() ? block : locate(output, partitions))
        .map(located -> new NodeBlock(this, output, partitions, located, reads));
  }

  /** For a task that announced no reads because Spark's own reader reads its shuffle. */
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
    Connected before = service.connected();
    for (LocatePrefetch<NodeRun> each : reads.ahead()) {
      Optional<List<NodeRun>> runs = each.take(output, partitions);
      if (service.connected() != before) {
        return Optional.empty(); // the reader that located them is closed
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

  /** Locates a block, to be read once; the reader closes it. */
  Optional<LocatedBlock> locate(String output, PartitionRange partitions) throws IOException {
    Connected at = service.connected();
    List<NodeRun> runs =
        at.reader().locate(service.address(at), partitions, List.of(output)).get(output);
    return Optional.ofNullable(runs).map(LocatedBlock::new);
  }

  /** Closes all streams because their reader is replaced; the tasks locate their blocks anew. */
  void closeStreams() throws IOException {
    List<Closeable> all = new ArrayList<>();
    tasks.values().forEach(each -> all.add(each::closeStreams));
    all.add(ofPeers::closeStreams);
    Closer.all(all);
  }

  @Override
  public void close() throws IOException {
    List<Closeable> all = new ArrayList<>(tasks.values());
    all.add(ofPeers);
    Closer.all(all);
  }

  /**
   * The reads of one task in the pool of its node: the outputs that it announced, and its open
   * streams. Spark closes a stream that was read to its end. If a task stops earlier, the end of
   * the task closes its streams, which gives registered windows and mappings back.
   *
   * <p>Thread contract: safe from any thread. Ownership: {@link NodeReads} closes it when the task
   * ends. Failure: {@link IOException} for a stream that is opened after that.
   */
  static final class TaskReads implements Closeable {
    private final List<LocatePrefetch<NodeRun>> ahead = new CopyOnWriteArrayList<>();
    private final Set<LocatedBlock> open = new HashSet<>();
    private boolean closed;

    /** In the order in which the task announced them. */
    List<LocatePrefetch<NodeRun>> ahead() {
      return ahead;
    }

    /** Keeps a stream until it is read to its end or closed. */
    synchronized LocatedBlock open(LocatedBlock stream) throws IOException {
      if (closed) {
        throw new IOException("the task has ended, and opens no further block");
      }
      open.add(stream);
      stream.whenClosed(() -> forget(stream));
      return stream;
    }

    private synchronized void forget(LocatedBlock stream) {
      open.remove(stream);
    }

    /** How many streams are open. */
    synchronized int openStreams() {
      return open.size();
    }

    /** Closes what the former reader located and opened; the task goes on with another reader. */
    void closeStreams() throws IOException {
      ahead.clear();
      List<LocatedBlock> left;
      synchronized (this) {
        left = new ArrayList<>(open);
      }
      Closer.all(left);
    }

    @Override
    public void close() throws IOException {
      synchronized (this) {
        closed = true;
      }
      closeStreams();
    }
  }
}
