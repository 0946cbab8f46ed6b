package io.sluice.spark.read;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.Transports;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.TransportException;
import io.sluice.spark.conf.ApplicationId;
import io.sluice.spark.conf.ApplicationSecret;
import io.sluice.spark.conf.SparkFallbackPolicy;
import io.sluice.spark.conf.SparkSettings;
import io.sluice.spark.engine.UserThreads;
import io.sluice.spark.metrics.ShuffleCounters;
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spill.cipher.ShuffleKey;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.Executor;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.apache.spark.SparkConf;

/**
 * The threads, connections and registered windows with which all tasks of an executor read other
 * executors' pools. Tasks are too short to open devices and connections of their own.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executor side closes it. A fetch that
 * does not end by its deadlines keeps its windows.
 */
public final class PeerReader implements Closeable {
  /** Threads that fetch; more would only wait for each other's windows. */
  private static final int FETCHERS = 16;

  /** Most peers that are asked for the first time at once; each of them may be silent. */
  private static final int FIRST_FETCHERS = 64;

  /** Threads that fetch through Spark; a host that does not answer may keep one for minutes. */
  private static final int FALLBACK_FETCHERS = 64;

  private static final long IDLE_MS = 30_000;

  /** How long a busy pool is asked again, if its executor can serve the blocks through Spark. */
  private static final long SHORT_PATIENCE_MS = 2_000;

  /**
   * How long a block waits for a peer that takes no further connection, before Spark fetches it.
   */
  private static final long BUSY_PATIENCE_MS = 1_000;

  /** Longest time before a silent pool is asked again. */
  private static final long LONGEST_PAUSE_NS = TimeUnit.HOURS.toNanos(1);

  private final SparkConf conf;
  private final ExecutorTransports transports;
  private final ShuffleCounters counters;
  private final Supplier<ShuffleKey> key;
  private final long timeoutMs;
  private final UserThreads threads = UserThreads.ofCurrentUser();
  private NodeReader reader;
  private PeerContacts contacts; // this and the next four are null before the first fetch
  private ThreadPoolExecutor fetchers;
  private ThreadPoolExecutor firstFetchers;
  private ThreadPoolExecutor fallbackFetchers;
  private ScheduledThreadPoolExecutor deadlines;
  private boolean closed;

  /**
   * For the user of the current thread. Opens nothing yet.
   *
   * @param key gives the key of outputs, which stays its owner's until this is closed; null if
   *     outputs are not encrypted
   */
  public PeerReader(
      SparkConf conf,
      ExecutorTransports transports,
      ShuffleCounters counters,
      Supplier<ShuffleKey> key) {
    this.conf = conf;
    this.transports = transports;
    this.counters = counters;
    this.key = key;
    this.timeoutMs = SparkSettings.IO_TIMEOUT_MS.get(SparkSettings.of(conf));
  }

  /** Whether Spark may fetch blocks that cannot be read in pools. */
  SparkFallbackPolicy fallback() {
    return SparkFallbackPolicy.of(conf);
  }

  /**
   * How long a busy pool is asked again. It is long if only the pool has the blocks: Spark's client
   * is ruled out, or asks the external shuffle service, which knows files only. Map tasks would
   * then run again.
   */
  long busyPatienceMs() {
    return poolsAlone() ? timeoutMs : SHORT_PATIENCE_MS;
  }

  private boolean poolsAlone() {
    return fallback() == SparkFallbackPolicy.NEVER || SparkSettings.isExternalServiceOn(conf);
  }

  /** Reads the pool of any peer. */
  synchronized NodeReader reader() {
    checkOpen();
    if (reader == null) {
      reader = newReader();
      counters.countReadsOf(reader.stats());
    }
    return reader;
  }

  private NodeReader newReader() {
    ShuffleKey keyOfAll = key.get();
    Transports windows;
    try {
      windows = transports.forReading();
    } catch (TransportException e) {
      throw new UncheckedIOException("no transport works for reading", e);
    }
    return new NodeReader(
        ApplicationId.of(conf),
        ApplicationSecret.of(conf),
        windows,
        null,
        keyOfAll,
        new Timeouts(timeoutMs, timeoutMs, BUSY_PATIENCE_MS));
  }

  /** Runs the fetches of this executor's tasks. */
  synchronized PeerContacts contacts() {
    checkOpen();
    if (contacts == null) {
      fetchers = threads.executor("sluice-fetcher", FETCHERS, IDLE_MS);
      firstFetchers = threads.executor("sluice-first-fetcher", FIRST_FETCHERS, IDLE_MS);
      fallbackFetchers = threads.executor("sluice-fallback-fetcher", FALLBACK_FETCHERS, IDLE_MS);
      deadlines = newDeadlines();
      contacts =
          new PeerContacts(
              firstFetchers,
              fetchers,
              (work, delayNs) -> deadlines.schedule(work, delayNs, TimeUnit.NANOSECONDS),
              TimeUnit.MILLISECONDS.toNanos(2 * timeoutMs + busyPatienceMs()),
              poolsAlone() ? 0 : LONGEST_PAUSE_NS,
              System::nanoTime);
    }
    return contacts;
  }

  /** Runs requests to Spark's client for blocks that fetches left; call {@link #contacts} first. */
  Executor fallbackFetchers() {
    return fallbackFetchers;
  }

  /**
   * A timer that drops cancelled work with all that it holds, and ends its thread when it is idle.
   */
  private ScheduledThreadPoolExecutor newDeadlines() {
    ScheduledThreadPoolExecutor deadlines =
        new ScheduledThreadPoolExecutor(
            1, body -> threads.create("sluice-first-fetch-deadline", body));
    deadlines.setRemoveOnCancelPolicy(true);
    deadlines.setKeepAliveTime(IDLE_MS, TimeUnit.MILLISECONDS);
    deadlines.allowCoreThreadTimeOut(true);
    return deadlines;
  }

  private void checkOpen() {
    if (closed) {
      throw new IllegalStateException("this executor has stopped");
    }
  }

  /** Interrupts the running fetches and waits for their end, because their windows must be free. */
  @Override
  public void close() throws IOException {
    synchronized (this) {
      if (closed) {
        return;
      }
      closed = true;
    }
    if (contacts != null && !haveEnded()) { // a running fetch may still ask for the reader
      throw new IOException("running fetches from other executors have not ended");
    }
    synchronized (this) {
      if (reader != null) {
        reader.close();
      }
    }
  }

  private boolean haveEnded() {
    deadlines.shutdownNow();
    fetchers.shutdownNow();
    firstFetchers.shutdownNow();
    fallbackFetchers.shutdownNow(); // they hold no windows
    try {
      return fetchers.awaitTermination(2 * timeoutMs, TimeUnit.MILLISECONDS)
          && firstFetchers.awaitTermination(2 * timeoutMs, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
