package io.sluice.hadoop.map;

import io.sluice.hadoop.SluiceCounter;
import io.sluice.hadoop.collect.SluiceMapOutputCollector;
import io.sluice.hadoop.conf.JobSettings;
import io.sluice.hadoop.conf.UnknownSettings;
import io.sluice.hadoop.entry.FallbackPolicy;
import io.sluice.hadoop.task.ContainerRoom;
import io.sluice.hadoop.task.JobEligibility;
import io.sluice.hadoop.task.JobEncryption;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.mapreduce.id.TaskNames;
import io.sluice.mapreduce.map.MapPlan;
import io.sluice.mapreduce.map.OutputMarker;
import io.sluice.mapreduce.map.RecordCollector;
import io.sluice.mapreduce.map.RecordCollector.MapOutputStats;
import io.sluice.mapreduce.memory.TaskMemory;
import io.sluice.mapreduce.merge.CodecMemory;
import io.sluice.node.socket.RevocationListener;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.cipher.ShuffleKey.CipherStats;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.writer.PoolChunks;
import io.sluice.spill.writer.WriteTarget;
import io.sluice.spill.writer.WriteTarget.ExtentMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapred.MapOutputCollector;
import org.apache.hadoop.mapred.MapTask;
import org.apache.hadoop.mapred.Task.TaskReporter;
import org.apache.hadoop.mapred.TaskAttemptID;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.mapreduce.TaskType;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Collects a map's records into the pool of the task's own node.
 *
 * <p>Differs from {@link RecordCollector}, which does the work, in that it knows the node: it asks
 * whether Sluice can do this job, finds the service, and counts.
 *
 * <p>Thread contract: {@link #collect} may be called by several threads, as stock's may; the rest
 * is the task's thread's. Ownership: {@link SluiceMapOutputCollector} closes it, also after a
 * failure, and that frees everything. Failure: {@link #init} throws with the reason for a job that
 * Sluice leaves to stock, and for a node without its service. After the first record an {@link
 * IOException} fails the attempt.
 */
final class NodeCollector<K, V> implements MapOutputCollector<K, V> {
  private static final Logger LOG = LoggerFactory.getLogger(NodeCollector.class);

  /** The first attempts of a map write to the pool: half of those that a job has by default. */
  private static final int POOLED_ATTEMPTS = 2;

  /** After a restart, the ApplicationMaster's attempt ids begin so much higher. */
  private static final int IDS_OF_A_MASTER = 1000;

  private final Map<String, String> environment;
  private MapTask mapTask;
  private TaskReporter reporter;
  private SocketClient node;
  private NodeChunks borrowed; // null: records must not lie in the pool before they are encrypted
  private RecordCollector<K, V> collector;
  private OutputId outputId;
  private ShuffleKey key;

  /**
   * Collects nothing yet.
   *
   * @param environment of the container
   */
  NodeCollector(Map<String, String> environment) {
    this.environment = environment;
  }

  @Override
  public void init(Context context) throws IOException, ClassNotFoundException {
    reporter = context.getReporter();
    JobConf job = context.getJobConf();
    mapTask = context.getMapTask();
    UnknownSettings.tell(job, reporter); // also of a job that is left to stock
    SecretKey secret = mapTask.getShuffleSecret();
    Optional<String> declined = JobEligibility.declineReason(job, secret);
    if (declined.isPresent()) {
      throw new IOException(declined.get());
    }
    if (FallbackPolicy.of(job) != FallbackPolicy.NEVER && isRepeated(mapTask.getTaskID())) {
      throw new IOException("earlier attempts of this map could not be read or failed");
    }
    outputId =
        new OutputId(
            TaskNames.application(mapTask.getJobID()), TaskNames.attempt(mapTask.getTaskID()));
    key = JobEncryption.keyOf(job, mapTask);
    ContainerRoom room = ContainerRoom.of(environment, job, TaskType.MAP);
    MapPlan<K, V> plan = plan(job, room);

    NodeMetadata found = NodeMetadata.find(environment);
    ServiceAddress service = found.address();
    node =
        NodeLink.connect(
            found,
            mapTask.getJobID(),
            Borrower.map(TaskNames.attempt(mapTask.getTaskID()), plan.sortBytes()),
            secret,
            JobSettings.timeouts(job));
    Medium medium = medium(service);
    WriteTarget target = WriteTarget.mapped(node, medium, room.mapExtentBytes());
    borrowed = key == null ? new NodeChunks(node, target.memory()) : null;
    collector =
        new RecordCollector<>(
            plan, target, ChunkMemory.DIRECT, key == null ? borrowed : ChunkSource.NONE);
    LOG.info(
        "Collecting into Sluice's pool at {} ({} medium), sort buffer {} MiB off heap; {}",
        service.socket().getParent(),
        medium.name(),
        plan.sortBytes() >> 20,
        JobEncryption.describe(job, key));
  }

  /**
   * Whether the map has had so many attempts that this one should use stock's format. Every reducer
   * can read that, also one of another release, or behind a firewall that drops Sluice's ports. A
   * map does not know why it is run again. A restart of the ApplicationMaster counts as an attempt,
   * since nothing says how many there were before it.
   */
  private static boolean isRepeated(TaskAttemptID attempt) {
    int id = attempt.getId();
    return id / IDS_OF_A_MASTER + id % IDS_OF_A_MASTER >= POOLED_ATTEMPTS;
  }

  private MapPlan<K, V> plan(JobConf job, ContainerRoom room)
      throws IOException, ClassNotFoundException {
    TaskAttemptID task = mapTask.getTaskID();
    CodecMemory codec = CodecMemory.of(MapPlan.codecOf(job), job);
    long roomBytes = room.sortBytes(codec);
    TaskMemory memory = room.mapMemory(codec);
    ShuffleKey ofJob = key;
    MapPlan<K, V> plan =
        ofJob == null
            ? MapPlan.of(job, task, reporter, memory)
            : MapPlan.encrypted(
                job,
                task,
                reporter,
                memory,
                () -> ofJob.newOutput(outputId, job.getNumReduceTasks()));
    int sortMb = job.getInt(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
    if (plan.sortBytes() == roomBytes && roomBytes >> 20 < sortMb) {
      LOG.info(
          "The sort buffer has {} MiB instead of the {} MiB of {}: it lies outside the heap, and"
              + " the container has {} MiB. Raise {} or lower -Xmx for more",
          roomBytes >> 20,
          sortMb,
          MRJobConfig.IO_SORT_MB,
          job.getMemoryRequired(TaskType.MAP),
          MRJobConfig.MAP_MEMORY_MB);
    }
    return plan;
  }

  private Medium medium(ServiceAddress service) throws IOException {
    try {
      return MediumChooser.choose(service.medium(), node.places()).medium();
    } catch (IOException | RuntimeException e) {
      node.close();
      throw e;
    }
  }

  @Override
  public void collect(K key, V value, int partition) throws IOException, InterruptedException {
    collector.collect(key, value, partition);
  }

  @Override
  public void flush() throws IOException, InterruptedException, ClassNotFoundException {
    MapOutputStats stats = collector.flush(outputId);
    OutputMarker.leave(mapTask.getMapOutputFile());
    mapTask.getSortPhase().complete();
    SluiceCounter.MERGE_MS.add(reporter, stats.mergeMs());
    SluiceCounter.MAP_OUTPUT_RUNS.add(reporter, stats.runs());
    SluiceCounter.SPILL_MS.add(reporter, stats.spillMs());
    SluiceCounter.SORT_MS.add(reporter, stats.sortMs());
    SluiceCounter.SPILL_BYTES_MEMORY.add(reporter, stats.memoryBytes());
    SluiceCounter.SPILL_BYTES_DISK.add(reporter, stats.diskBytes());
    if (borrowed != null) {
      SluiceCounter.SORT_BYTES_BORROWED.add(reporter, borrowed.mostBytes());
      SluiceCounter.FALLBACK_SORT_ALONE.add(reporter, borrowed.failures());
    }
    SluiceCounter.EARLY_SPILLS.add(reporter, stats.earlySpills());
    if (key != null) {
      CipherStats cipher = key.stats();
      SluiceCounter.ENCRYPTED_BYTES.add(reporter, cipher.encryptedBytes());
      SluiceCounter.DECRYPTED_BYTES.add(reporter, cipher.decryptedBytes());
      SluiceCounter.CRYPTO_MS.add(reporter, cipher.ms());
    }
    LOG.info(
        "Committed {} bytes to Sluice's pool: spill {} ms, of which sort {} ms; {} bytes in memory,"
            + " {} on disk",
        stats.materializedBytes(),
        stats.spillMs(),
        stats.sortMs(),
        stats.memoryBytes(),
        stats.diskBytes());
  }

  @Override
  public void close() throws IOException {
    RecordCollector<K, V> closingCollector = collector;
    NodeChunks closingBorrowed = borrowed;
    SocketClient closingNode = node;
    ShuffleKey closingKey = key;
    collector = null;
    borrowed = null;
    node = null;
    key = null;
    // Last opened, first closed: closing the collector releases leases over the connection.
    try (closingKey;
        closingNode;
        closingBorrowed;
        closingCollector) {
      LOG.debug("Closing the collector of {}", outputId);
    }
  }

  /**
   * The memory that a map's sort buffer borrows from its node. The map listens whether the node
   * wants the memory back. Nothing is opened before the first chunk is lent.
   *
   * <p>Differs from {@link PoolChunks}, which lends the chunks, in that it listens.
   *
   * <p>Thread contract: that of {@link ChunkSource}. Ownership: {@link NodeCollector} closes it,
   * after the sort buffer and before the connection. Failure: as {@link PoolChunks}. If the map
   * cannot listen to the service, it borrows no more; that is counted.
   */
  static final class NodeChunks implements ChunkSource, Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(NodeChunks.class);

    private final SocketClient node;
    private final PoolChunks chunks;
    private RevocationListener listener; // null: none yet
    private int failures;

    NodeChunks(SocketClient node, ExtentMemory memory) {
      this.node = node;
      this.chunks = new PoolChunks(node, memory);
    }

    @Override
    public ByteBuffer allocate(int lengthBytes) throws IOException {
      if (failures > 0) {
        return null;
      }
      ByteBuffer chunk = chunks.allocate(lengthBytes);
      if (chunk != null && !isListening()) {
        chunks.free(List.of(chunk));
        return null;
      }
      return chunk;
    }

    private boolean isListening() throws IOException {
      if (listener != null && !listener.hasEnded()) {
        return true;
      }
      closeListener();
      try {
        listener =
            RevocationListener.start(
                node.listen(),
                notice -> chunks.keepAtMost(notice.sortBytes()),
                () -> chunks.keepAtMost(0));
        return true;
      } catch (IOException e) {
        LOG.warn("The sort buffer stays as it is, because the node's service cannot be heard", e);
        failures++;
        return false;
      }
    }

    private void closeListener() throws IOException {
      RevocationListener closing = listener;
      listener = null;
      if (closing != null) {
        closing.close();
      }
    }

    @Override
    public void free(List<ByteBuffer> returned) throws IOException {
      chunks.free(returned);
    }

    @Override
    public boolean isWantedBack() {
      return chunks.isWantedBack();
    }

    /** Most bytes that were borrowed at one time. */
    long mostBytes() {
      return chunks.mostBytes();
    }

    /** How often the map could not listen to the service, and went on without borrowing. */
    int failures() {
      return failures;
    }

    @Override
    public void close() throws IOException {
      try (chunks) {
        closeListener();
      }
    }
  }
}
