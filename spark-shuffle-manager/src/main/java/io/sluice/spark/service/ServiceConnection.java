package io.sluice.spark.service;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.remote.RemoteClient;
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
import io.sluice.spark.pool.ExecutorTransports;
import io.sluice.spill.cipher.ShuffleKey;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.MediumChooser;
import io.sluice.spill.segment.Owner;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.spark.SparkConf;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An executor's connection to the service of its node. Map tasks write to the service through
 * {@link #target}, reduce tasks read through {@link #reads}. While the connection is open, it shows
 * the application to the service once a minute. A service frees the outputs of applications that it
 * has not heard of for too long.
 *
 * <p>Thread contract: safe from any thread. Ownership: the executor side closes it. The outputs
 * stay, because only the driver frees them. Failure: {@link IOException} if the service does not
 * answer; a later attempt may find it.
 */
public final class ServiceConnection implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ServiceConnection.class);
  private static final long SHOW_PERIOD_S = 60;

  private final String named;
  private final ExecutorTransports transports;
  private final String applicationId;
  private final JobSecret secret;
  private final ShuffleKey key;
  private final long timeoutMs;
  private final String host;
  private final NodeTarget target;
  private final NodeReads reads;
  private final ScheduledExecutorService shower =
      Executors.newSingleThreadScheduledExecutor(
          work -> DaemonThreads.create("sluice-show-to-service", work));
  private volatile Connected connected;
  private IOException failure; // of the last attempt if it took long; these three under its lock
  private long failedNs;
  private long failureTookNs;

  /** A service, and the user who must own its socket. */
  record Service(Owner owner, ServiceAddress address) {}

  /**
   * A service that answered.
   *
   * @param client stays open because the service hands segments to the reader through it
   * @param reader reads the service's pool
   * @param poolId tells a pool from one that was made anew at the same address
   */
  record Connected(
      Service service, SocketClient client, NodeReader reader, UUID poolId, Medium medium)
      implements Closeable {
    @Override
    public void close() throws IOException {
      Closer.all(reader::close, client);
    }
  }

  /**
   * Asks nothing yet.
   *
   * @param counters counts the bytes that tasks write
   * @param key encrypts outputs and stays the caller's; null if they are not encrypted
   * @param service {@link SparkSettings#YARN_SERVICE}, or the service's directory
   * @param host this executor's, for a service that names no host of its own
   */
  public ServiceConnection(
      SparkConf conf,
      ExecutorTransports transports,
      ShuffleCounters counters,
      ShuffleKey key,
      String applicationId,
      String service,
      String host) {
    this.transports = transports;
    this.applicationId = applicationId;
    this.secret = ApplicationSecret.of(conf);
    this.key = key;
    this.timeoutMs = SparkSettings.IO_TIMEOUT_MS.get(SparkSettings.of(conf));
    this.host = host;
    this.named = service;
    this.target = new NodeTarget(this, counters, key, applicationId);
    this.reads = new NodeReads(this);
    shower.scheduleWithFixedDelay(this::show, SHOW_PERIOD_S, SHOW_PERIOD_S, TimeUnit.SECONDS);
  }

  /** Where map tasks write, once {@link #connect} has found the service. */
  public NodeTarget target() {
    return target;
  }

  /** Reads blocks of the service's pool. */
  public NodeReads reads() {
    return reads;
  }

  /**
   * Finds the service, and shows it the application. If the service did not answer, this fails at
   * once for as long as that attempt took. Otherwise the tasks that wait here would each wait as
   * long, one after the other.
   */
  public synchronized void connect() throws IOException {
    long beganNs = System.nanoTime();
    if (failure != null && beganNs - failedNs < failureTookNs) {
      throw new IOException(
          "the node's service is not asked again yet: " + ErrorText.of(failure), failure);
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
    Service at = locate();
    Connected former = connected;
    SocketClient client = open(at);
    try {
      UUID poolId = client.info().poolId();
      if (former != null && former.service().equals(at) && former.poolId().equals(poolId)) {
        client.close();
        return;
      }
      Medium medium = MediumChooser.choose(at.address().medium(), client.places()).medium();
      LocalPool local = new LocalPool(poolId, client.places(), client.opener());
      connected = new Connected(at, client, newReader(local), poolId, medium);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, client);
      throw e;
    }
    if (former != null) {
      reads.closeStreams(); // they read with the former reader
      former.close();
    }
  }

  /** Reads where the service is now: YARN passes it in the environment, others write a file. */
  private Service locate() throws IOException {
    if (named.equals(SparkSettings.YARN_SERVICE)) {
      NodeMetadata metadata = NodeMetadata.find(System.getenv());
      return new Service(metadata.owner(), metadata.address());
    }
    return new Service(Owner.ofThisProcess(), ServiceFile.read(Path.of(named)));
  }

  /** Opens a socket to the service, which learns of the application by that; the caller closes. */
  private SocketClient open(Service at) throws IOException {
    return SocketClient.connect(
        at.address().socket(), at.owner(), applicationId, secret, timeoutMs);
  }

  private NodeReader newReader(LocalPool local) throws IOException {
    return new NodeReader(
        applicationId, secret, transports.forReading(), local, key, Timeouts.all(timeoutMs));
  }

  private void show() {
    if (connected != null) {
      try {
        connect();
      } catch (IOException e) {
        LOG.info("The node's service cannot be reached at the moment: {}", e.toString());
      } catch (RuntimeException | Error e) { // otherwise the thread would show it no more
        SafeLog.warn(
            LOG, "The node's service could not be told that {} is alive", applicationId, e);
      }
    }
  }

  /** The service that was found last; null before one was found. */
  Connected connected() {
    return connected;
  }

  /**
   * At which the service's pool is read and controlled. Its host's name is looked up at each call,
   * because an address that could not be looked up never can.
   */
  NodeAddress address(Connected at) {
    return at.service().address().control(host);
  }

  /** Opens another socket to the service that was found last, for one output's lease. */
  SocketClient openSocket(Connected at) throws IOException {
    return open(at.service());
  }

  /** Opens a connection to control the service's pool; the caller closes it. */
  RemoteClient openControl() throws IOException {
    return RemoteClient.connect(address(connected).control(), applicationId, secret, timeoutMs);
  }

  @Override
  public synchronized void close() throws IOException {
    shower.shutdownNow();
    Closer.all(reads::close, connected);
  }
}
