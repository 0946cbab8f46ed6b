package io.sluice.spark.pool;

import io.sluice.node.service.NodeService;
import io.sluice.node.wire.JobSecret;
import io.sluice.rdma.Release;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spill.cipher.RunKey;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIndex.IndexedRun;
import io.sluice.spill.format.Run;
import io.sluice.spill.segment.ProcessDirectory;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.apache.spark.SparkConf;
import org.apache.spark.shuffle.ShuffleBlockInfo;
import org.apache.spark.storage.BlockManagerId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pool of one executor. Its map tasks write to it, and its service lets other executors read
 * from it.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executor side closes it, which frees
 * everything in it; later reads fail and touch no memory. Failure: {@link #open} throws and leaves
 * nothing behind.
 */
public final class ExecutorPool implements OutputTarget, Closeable {
  /** Directory of the executors' pools, below the configured one. */
  public static final String DIRECTORY = "sluice-spark";

  private static final Logger LOG = LoggerFactory.getLogger(ExecutorPool.class);

  /** Longer than a read or a free takes, even if a disk has to be given up. */
  private static final long CLOSE_LIMIT_MS = 60_000;

  private final String applicationId;
  private final JobSecret secret;
  private final ShuffleKey key;
  private final ProcessDirectory home;
  private final NodeService service;
  private final ReadWriteLock lock = new ReentrantReadWriteLock();
  private final FreedShuffles freed = new FreedShuffles();
  private final LongAdder writtenBytes = new LongAdder();
  private boolean closed;

  private ExecutorPool(
      String applicationId,
      SparkConf conf,
      ShuffleKey key,
      ProcessDirectory home,
      NodeService service) {
    this.applicationId = applicationId;
    this.secret = ApplicationSecret.of(conf);
    this.key = key;
    this.home = home;
    this.service = service;
  }

  /**
   * Opens the pool of an executor.
   *
   * @param key encrypts outputs and stays the caller's; null if they are not encrypted
   * @param localDirs directories for bytes that do not fit in memory
   */
  public static ExecutorPool open(
      SparkConf conf,
      ExecutorTransports transports,
      ShuffleKey key,
      String applicationId,
      String executorId,
      List<Path> localDirs)
      throws IOException {
    Path base = Path.of(SparkSettings.POOL_DIR.get(SparkSettings.of(conf)));
    PoolSize size = PoolSize.of(conf, base);
    boolean isAuto = SparkSettings.POOL_CAPACITY_BYTES.get(SparkSettings.of(conf)).isEmpty();
    if (size.capacityBytes() == 0 && isAuto) { // files are faster than a pool that is only on disk
      throw new IOException("there is no memory for a pool: " + size.reason());
    }
    ProcessDirectory home =
        ProcessDirectory.create(
            base, DIRECTORY, applicationId + "-" + executorId, SparkSettings.POOL_DIR.name());
    try {
      Path directory = home.directory();
      NodeService service = PoolLauncher.start(conf, size, transports, directory, localDirs);
      LOG.info(
          "{} serves the shuffle outputs of executor {} from {} (memory {}) on port {} over {}",
          Release.of(ExecutorPool.class),
          executorId,
          directory,
          size.reason(),
          service.metadata().address().controlPort(),
          service.endpoints().listening());
      return new ExecutorPool(applicationId, conf, key, home, service);
    } catch (Throwable e) {
      Closer.after(e, home);
      throw e;
    }
  }

  /** Port at which other executors ask for outputs. */
  public int controlPort() {
    return service.metadata().address().controlPort();
  }

  /** How full the pool is. */
  public StoreStats stats() {
    return service.store().stats();
  }

  /** Bytes of all outputs that were committed so far, even if they were freed. */
  public long writtenBytes() {
    return writtenBytes.sum();
  }

  @Override
  public BlockManagerId location(BlockManagerId executor) {
    return PoolEndpoint.withPort(executor, controlPort());
  }

  /**
   * Checks that a task gets space for its first bytes, in memory or on disk.
   *
   * @throws StoreFullException that says why, if there is no space
   */
  public void checkRoom() throws IOException {
    StoreStats stats = service.store().stats();
    long freeBytes = stats.memory().createdBytes() - stats.memory().usedBytes();
    boolean grows = stats.memory().createdBytes() < stats.memory().capacityBytes();
    if (freeBytes >= MapOutput.LEASE_BYTES || (grows && stats.segmentFailures() == 0)) {
      return;
    }
    try (Lease lease = service.openLease(applicationId, secret)) {
      lease.lease(MapOutput.LEASE_BYTES);
    }
  }

  @Override
  public Attempt begin(int shuffleId) {
    return freed.begin(shuffleId);
  }

  @Override
  public MapOutput newOutput(Attempt attempt, long mapId, int partitionCount) throws IOException {
    return newOutput(attempt, mapId, partitionCount, MapOutput.maxRuns(partitionCount));
  }

  /** The same with another limit of runs. */
  MapOutput newOutput(Attempt attempt, long mapId, int partitionCount, int maxRuns)
      throws IOException {
    Lease lease = service.openLease(applicationId, secret);
    OutputId id = new OutputId(applicationId, BlockRange.output(attempt.shuffleId(), mapId));
    return new MapOutput(
        this,
        attempt,
        lease,
        () ->
            new OutputWriter(
                new ReplacingSource(lease),
                service.medium(),
                service::memoryOf,
                partitionCount,
                MapOutput.LEASE_BYTES),
        id,
        maxRuns,
        key == null ? null : () -> key.newOutput(id, partitionCount));
  }

  /** Begins an output that another executor moves here; the caller closes it. */
  public ReceivedOutput newReceivedOutput(int shuffleId, long mapId) throws IOException {
    return new ReceivedOutput(
        this,
        begin(shuffleId),
        service.openLease(applicationId, secret),
        service.medium(),
        new OutputId(applicationId, BlockRange.output(shuffleId, mapId)),
        key);
  }

  /** All outputs of map tasks and all that were moved here; none once the pool is closed. */
  public List<ShuffleBlockInfo> outputs() {
    lock.readLock().lock();
    try {
      return closed
          ? List.of()
          : service.store().outputs(applicationId).stream()
              .map(output -> BlockRange.parse(output.id().outputId()))
              .toList();
    } finally {
      lock.readLock().unlock();
    }
  }

  /** Length of each partition of an output as Spark reads it; empty if the output is not here. */
  public Optional<long[]> partitionLengths(int shuffleId, long mapId) throws IOException {
    return look(
        shuffleId,
        mapId,
        output -> {
          long[] lengthsBytes = new long[output.partitionCount()];
          for (IndexedRun indexed : output.indexedRuns(0, lengthsBytes.length)) {
            Run run = indexed.run();
            lengthsBytes[run.partition()] +=
                ExecutorBlock.plainBytes(run.lengthBytes(), reading(output));
          }
          return lengthsBytes;
        });
  }

  /** Some partitions of a map task's output; empty if the output is not here. */
  public Optional<ExecutorBlock> block(
      int shuffleId, long mapId, int firstPartition, int endPartition) throws IOException {
    return look(
        shuffleId,
        mapId,
        output ->
            new ExecutorBlock(
                this, output, output.indexedRuns(firstPartition, endPartition), reading(output)));
  }

  private RunKey reading(CommittedOutput output) {
    return key == null ? null : key.reading(output.id());
  }

  /** Reads from an output's index. */
  private interface Look<T> {
    T at(CommittedOutput output) throws IOException;
  }

  /**
   * Reads from the index of the output of that name. If the output was replaced or freed meanwhile,
   * it reads the one that has the name then.
   */
  private <T> Optional<T> look(int shuffleId, long mapId, Look<T> look) throws IOException {
    OutputId id = new OutputId(applicationId, BlockRange.output(shuffleId, mapId));
    lock.readLock().lock();
    try {
      while (!closed) {
        Optional<CommittedOutput> output = service.store().find(id);
        if (output.isEmpty()) {
          break;
        }
        try {
          T seen = look.at(output.get());
          if (output.get().location().isHeld()) {
            return Optional.of(seen);
          }
        } catch (IOException e) {
          if (output.get().location().isHeld()) {
            throw e;
          }
        }
      }
      return Optional.empty();
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Fills {@code destination}, whose position is 0, with bytes of an output.
   *
   * @return the output where it lies now, for the next bytes
   * @throws IOException if the output was freed or replaced meanwhile, or the pool is closed
   */
  CommittedOutput copy(CommittedOutput output, long logicalOffsetBytes, ByteBuffer destination)
      throws IOException {
    lock.readLock().lock();
    try {
      requireOpen();
      return service.reads().copy(output, logicalOffsetBytes, destination);
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Frees all outputs of a shuffle. Outputs of attempts that are running now are freed when they
   * commit.
   */
  public void free(int shuffleId) throws IOException {
    freed.add(shuffleId);
    unlessClosed(() -> service.store().freeOutputs(applicationId, BlockRange.outputsOf(shuffleId)));
  }

  @Override
  public void whileOpen(Access access) throws IOException {
    lock.readLock().lock();
    try {
      requireOpen();
      access.run();
    } finally {
      lock.readLock().unlock();
    }
  }

  private void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("the pool of this executor is closed");
    }
  }

  @Override
  public void committed(Attempt attempt, OutputId id, long lengthBytes) throws IOException {
    writtenBytes.add(lengthBytes);
    if (freed.isFreed(attempt)) {
      unlessClosed(() -> service.store().freeOutput(id));
    }
  }

  private void unlessClosed(Access access) throws IOException {
    lock.readLock().lock();
    try {
      if (!closed) {
        access.run();
      }
    } finally {
      lock.readLock().unlock();
    }
  }

  /**
   * Closes the pool; a second call does nothing.
   *
   * @throws IOException if reads do not end, because a disk hangs. Nothing has changed then. When
   *     this process has ended, the next executor to start removes the pool
   */
  @Override
  public void close() throws IOException {
    close(CLOSE_LIMIT_MS);
  }

  /** The same with another limit. */
  void close(long limitMs) throws IOException {
    if (!Uninterruptibly.tryLock(lock.writeLock(), limitMs)) {
      throw new IOException(
          "reads from the pool of this executor have not ended within " + limitMs + " ms");
    }
    try {
      if (closed) {
        return;
      }
      closed = true;
      try (home) {
        service.close();
      }
    } finally {
      lock.writeLock().unlock();
    }
  }
}
