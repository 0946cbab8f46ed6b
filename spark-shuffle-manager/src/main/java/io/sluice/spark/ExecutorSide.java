package io.sluice.spark;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spark.conf.ApplicationId;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.metrics.ExecutorMetrics;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorPool;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spark.pool.OutputTarget;
import io.sluice.spark.read.PeerReader;
import io.sluice.spark.service.NodeReads;
import io.sluice.spark.service.ServiceConnection;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.store.StoreFullException;
import java.io.Closeable;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.spark.SparkConf;
import org.apache.spark.SparkEnv;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The shuffle resources of an executor: pool, transports, readers, counters and metrics. The first
 * task makes them, so a driver that runs no tasks opens nothing.
 *
 * <p>Thread contract: safe from any thread. Ownership: the shuffle manager closes it. Failure: an
 * executor that cannot open its pool logs why once, and its tasks write files as Spark does.
 */
final class ExecutorSide implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ExecutorSide.class);

  private final SparkConf conf;
  private final ExecutorTransports transports;
  private final ShuffleCounters counters = new ShuffleCounters();
  private final PeerReader peers;
  private ExecutorPool pool;
  private ServiceConnection service;
  private ShuffleKey key;
  private ExecutorMetrics metrics;
  private Exception failure; // why the pool could not be opened; null if it could
  private boolean closed;

  /**
   * Closes the pool at exit: a standalone master ends executors by a signal, and Spark then stops
   * no manager.
   */
  private final Thread atExit = DaemonThreads.create("close-sluice-pool", this::closeAtExit);

  ExecutorSide(SparkConf conf) {
    this.conf = conf;
    this.transports = new ExecutorTransports(conf);
    this.peers = new PeerReader(conf, transports, counters, this::key);
  }

  ExecutorTransports transports() {
    return transports;
  }

  PeerReader peers() {
    return peers;
  }

  ShuffleCounters counters() {
    return counters;
  }

  /** The key that encrypts the application's outputs; null if they are not encrypted. */
  private synchronized ShuffleKey key() {
    if (key == null) {
      key = ApplicationSecret.shuffleKey(conf, SparkEnv.get().securityManager().getSecretKey());
      if (key != null) {
        counters.countCipher(key.stats());
        LOG.info("Map outputs are encrypted with {}", key);
      }
    }
    return key;
  }

  /**
   * This executor's pool, opened if need be; empty if that failed, or if outputs must outlive the
   * executor.
   */
  synchronized Optional<ExecutorPool> poolToWrite() {
    beginReports();
    if (SparkSettings.isExternalServiceOn(conf)) {
      return Optional.empty();
    }
    if (pool == null && failure == null && !closed) {
      SparkEnv env = SparkEnv.get();
      File[] localDirs = env.blockManager().diskBlockManager().localDirs();
      List<Path> overflow = Arrays.stream(localDirs).map(File::toPath).toList();
      try {
        ExecutorPool opened =
            ExecutorPool.open(
                conf, transports, key(), ApplicationId.of(conf), env.executorId(), overflow);
        try {
          Runtime.getRuntime().addShutdownHook(atExit);
        } catch (IllegalStateException e) { // the process is exiting, and nothing would close it
          Closer.after(e, opened);
          throw e;
        }
        pool = opened;
      } catch (IOException | RuntimeException e) {
        openFailed(e);
      }
    }
    return Optional.ofNullable(pool);
  }

  private void openFailed(Exception e) {
    if (Thread.currentThread().isInterrupted()) { // the task was killed; the pool may be sound
      LOG.info("A task was killed while it opened this executor's pool; the next task opens it", e);
    } else {
      failure = e;
      LOG.warn(
          "This executor has no Sluice pool, its tasks write files as Spark does: {}",
          e.toString());
      LOG.debug("The pool of this executor could not be opened", e);
    }
  }

  /** Why the pool could not be opened; null if it could, or if no task has needed it. */
  synchronized Exception failure() {
    return failure;
  }

  /**
   * The pool that a map task writes to; empty if the task has to write files, which is counted.
   *
   * @throws IllegalStateException if the task has to write files and the fallback policy forbids it
   */
  Optional<? extends OutputTarget> outputPool() {
    Optional<ServiceConnection> node = service();
    if (node.isPresent()) {
      try {
        node.get().connect();
        return node.map(ServiceConnection::target);
      } catch (IOException e) {
        if (Thread.currentThread().isInterrupted()) { // of the task; the service may be there
          LOG.info("A task was killed while it looked for the node's service", e);
          return Optional.empty();
        }
        SparkFallbackPolicy.of(conf).permit("the node's service cannot be reached: " + e, e);
        LOG.debug("The node's service cannot be reached", e);
        counters.fellBack("a node's service that cannot be reached");
      }
    }
    Optional<ExecutorPool> own = poolToWrite();
    if (own.isEmpty()) {
      leaveToSpark("an executor without a pool", "this executor has no pool", failure());
      return own;
    }
    try {
      own.get().checkRoom();
      return own;
    } catch (StoreFullException e) {
      leaveToSpark("an executor whose pool has no room", "this executor's pool has no room", e);
      return Optional.empty();
    } catch (IOException e) {
      throw new UncheckedIOException("the pool of this executor could not be checked for space", e);
    }
  }

  private void leaveToSpark(String counted, String said, Exception cause) {
    if (!Thread.currentThread().isInterrupted()) { // otherwise the task was killed
      SparkFallbackPolicy.of(conf).permit(said + ": " + cause, cause);
      counters.fellBack(counted);
    }
  }

  /** Reads the pool of this node's service; empty if no task has written there. */
  synchronized Optional<NodeReads> nodeReads() {
    return Optional.ofNullable(service).map(ServiceConnection::reads);
  }

  /** The connection to this node's service; empty if the application names none. */
  private synchronized Optional<ServiceConnection> service() {
    Optional<String> named = SparkSettings.nodeService(conf);
    if (service == null && !closed && named.isPresent()) {
      String host = SparkEnv.get().blockManager().shuffleServerId().host();
      beginReports();
      service =
          new ServiceConnection(
              conf, transports, counters, key(), ApplicationId.of(conf), named.get(), host);
    }
    return Optional.ofNullable(service);
  }

  /** This executor's pool; empty if it was not opened. */
  synchronized Optional<ExecutorPool> openedPool() {
    return Optional.ofNullable(pool);
  }

  /**
   * Frees the outputs of a shuffle in this executor's pool. The driver tells the node's service.
   */
  void free(int shuffleId) throws IOException {
    ExecutorPool own = openedPool().orElse(null);
    ServiceConnection node = openedService();
    Closer.all(
        own == null ? null : () -> own.free(shuffleId),
        node == null ? null : () -> node.target().free(shuffleId));
  }

  private synchronized ServiceConnection openedService() {
    return service;
  }

  @Override
  public void close() throws IOException {
    Closer.all(this::endReports, this::closePool, peers, this::closeKey);
    try {
      Runtime.getRuntime().removeShutdownHook(atExit);
    } catch (IllegalStateException alreadyShuttingDown) {
      return; // the hook finds the pool closed
    }
  }

  /** Registers the metrics when the first task shuffles: a driver that runs no tasks has none. */
  synchronized void beginReports() {
    if (metrics == null && !closed) {
      metrics =
          new ExecutorMetrics(
              () -> openedPool().map(ExecutorPool::stats),
              () -> openedPool().map(ExecutorPool::writtenBytes).orElse(0L),
              counters);
      SparkEnv.get().metricsSystem().registerSource(metrics);
    }
  }

  private synchronized void endReports() {
    if (metrics != null) {
      SparkEnv.get().metricsSystem().removeSource(metrics);
    }
  }

  private synchronized void closePool() throws IOException {
    closed = true;
    Closer.all(pool, service);
  }

  /** Called last, when nothing reads or writes any more. */
  private synchronized void closeKey() {
    if (key != null) {
      key.close();
    }
  }

  private void closeAtExit() {
    try {
      closePool();
    } catch (IOException e) {
      LOG.warn(
          "The pool of this executor could not be removed; the next executor to start removes it",
          e);
    }
  }
}
