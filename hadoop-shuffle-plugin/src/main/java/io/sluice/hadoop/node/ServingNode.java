package io.sluice.hadoop.node;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.service.SluiceShuffleService.NodeRole;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceMemory.MachineMemory;
import io.sluice.node.wire.FilesId;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.rdma.threads.DaemonThreads;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.management.ObjectName;
import org.apache.commons.lang3.StringUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.metrics2.util.MBeans;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a {@link NodeService} beside the stock ShuffleHandler.
 *
 * <p>Thread contract: called by the NodeManager's dispatcher. Ownership: {@link
 * SluiceShuffleService} starts and stops it. Failure: an auxiliary service that throws takes its
 * NodeManager down, so this never throws. It tells the log and the tasks why it does not serve, and
 * tasks use the stock shuffle.
 */
final class ServingNode implements NodeRole {
  private static final String BEAN_NAME = "SluiceShuffle";
  private static final Logger LOG = LoggerFactory.getLogger(ServingNode.class);

  private static final int MAX_REASON = 500;

  private NodeService service;
  private FileExpiry forgottenFiles;
  private final ApplicationCleaner ended = new ApplicationCleaner(new Freeing());

  /** Kept from the first container on: YARN names its user only then. */
  private ContainerUsers users;

  private ObjectName bean;
  private Runnable endOfMetrics;
  private NodeMetadata metadata = NodeMetadata.degraded("it has not been started");

  @Override
  public void start(Configuration conf, Path recoveryPath) {
    try {
      users = ContainerUsers.of(conf);
      long filesKeptMs = NodeSettings.FILES_KEPT.get(conf::getTrimmed);
      service = recoveryPath == null ? startEmpty(conf) : recover(conf, recoveryPath);
      metadata = service.metadata();
      forgottenFiles = FileExpiry.start(service, filesKeptMs);
      LOG.info(
          "Sluice serves its pool at {} on port {} over {}",
          metadata.pool(),
          metadata.address().controlPort(),
          service.endpoints().listening());
      if (NodeSettings.POOL_CAPACITY_MB.get(conf::getTrimmed).isEmpty()) {
        NodeManagerPlan.memoryShortage(
                conf,
                service.nodeMemory().totalBytes(),
                MachineMemory.of(metadata.pool()).totalBytes())
            .ifPresent(LOG::warn);
      }
    } catch (Exception | Error e) {
      // Errors too: no direct memory, a library that does not load, a full tmpfs behind a mapping.
      metadata = NodeMetadata.degraded(reason(e));
      LOG.error(
          "Sluice does not serve on this node, whose tasks use stock's shuffle: {}", reason(e), e);
    }
    bean = MBeans.register("NodeManager", BEAN_NAME, new ServiceState(metadata, service));
    endOfMetrics = SluiceMetrics.register(service);
  }

  private NodeService startEmpty(Configuration conf) throws IOException {
    return recorded(
        NodeManagerPlan.start(conf, users),
        address -> RecoveryState.keepNothing(address.socket().getParent()));
  }

  /** A NodeManager with recovery keeps its containers over a restart, and so their outputs. */
  private NodeService recover(Configuration conf, Path recoveryPath) throws IOException {
    RecoveryState state =
        RecoveryState.read(conf, java.nio.file.Path.of(recoveryPath.toUri().getPath()));
    boolean knowsPool = state.knowsPoolOf(NodeManagerPlan.directory(conf));
    if (!knowsPool) {
      LOG.info("This NodeManager has recovered no application, so Sluice's pool starts empty");
    }
    return recorded(
        NodeManagerPlan.start(conf, users, knowsPool, state.port()),
        address -> state.keep(address.socket().getParent(), address.controlPort(), knowsPool));
  }

  /** Writes down the state of a service for the next start. */
  private interface Recording {
    void write(ServiceAddress address) throws IOException;
  }

  /** Closes the service if that fails: the next start would be wrong about its pool. */
  private static NodeService recorded(NodeService started, Recording recording) throws IOException {
    try {
      recording.write(started.metadata().address());
      return started;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, started);
      throw e;
    }
  }

  /** The reason for tasks, cut to fit the environment of a container. */
  private static String reason(Throwable cause) {
    String text = cause instanceof IOException ? ErrorText.of(cause) : cause.toString();
    return StringUtils.abbreviate(StringUtils.defaultIfBlank(text, cause.toString()), MAX_REASON);
  }

  @Override
  public void stop(boolean recovers) {
    if (bean != null) {
      endOfMetrics.run();
      MBeans.unregister(bean);
      bean = null;
    }
    if (service != null) {
      try {
        Closer.all(ended, forgottenFiles, service);
        if (!recovers) {
          // No later service reads the pool, and it may be memory.
          PrivateDirectory.delete(metadata.pool());
        }
      } catch (IOException | RuntimeException e) {
        LOG.error("Sluice's service did not close cleanly", e);
      }
    }
  }

  @Override
  public void startContainer(String applicationId, String user) {
    if (users != null) {
      users.containerStarted(applicationId, user);
    }
    if (service != null) {
      service.applicationExpected(applicationId);
    }
  }

  @Override
  public void stopApplication(String applicationId) {
    if (users != null) {
      users.applicationStopped(applicationId);
    }
    if (service == null) {
      return;
    }
    for (String known : service.applications().notHeardOf(0)) {
      if (known.startsWith(applicationId + "_")) { // a further attempt of it
        ended.ended(known);
      }
    }
    ended.ended(applicationId);
  }

  /** Frees in the service. */
  private final class Freeing implements ApplicationCleaner.Freeing {
    @Override
    public void forget(String applicationId) throws IOException {
      service.applicationEnded(applicationId);
    }

    @Override
    public void free(String applicationId) throws IOException {
      service.applicationStopped(applicationId);
    }
  }

  @Override
  public ByteBuffer metadata() {
    return ByteBuffer.wrap(metadata.encode());
  }

  /**
   * Frees a user's files once no task and no reader has asked this node for any of them for a long
   * time. YARN says when applications end; but a node that was down may miss that files were
   * deleted.
   *
   * <p>Thread contract: safe from any thread; looks on a thread of its own. Ownership: its starter
   * closes it, before the service. Failure: files that cannot be freed are logged, and tried again.
   */
  static final class FileExpiry implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(FileExpiry.class);
    private static final int LOOKS_IN_THAT_TIME = 10;
    private static final long END_TIMEOUT_MS = 10_000;

    private final NodeService service;
    private final long keptMs;
    private final ScheduledExecutorService looking =
        Executors.newSingleThreadScheduledExecutor(
            body -> DaemonThreads.create("sluice-forgotten-files", body));

    private FileExpiry(NodeService service, long keptMs) {
      this.service = service;
      this.keptMs = keptMs;
    }

    /** Looks from now on, until it is closed. */
    static FileExpiry start(NodeService service, long keptMs) {
      FileExpiry files = new FileExpiry(service, keptMs);
      long periodMs = Math.max(1, keptMs / LOOKS_IN_THAT_TIME);
      files.looking.scheduleWithFixedDelay(files::look, periodMs, periodMs, TimeUnit.MILLISECONDS);
      return files;
    }

    private void look() {
      for (String id : service.applications().notHeardOf(keptMs)) {
        if (FilesId.ownerOf(id).isPresent()) {
          free(id);
        }
      }
    }

    private void free(String id) {
      try {
        service.applicationStopped(id);
        LOG.info(
            "Freed the files of {}: no task or reader has asked for them for {} ms", id, keptMs);
      } catch (IOException | RuntimeException e) {
        LOG.error("The files of {} could not be freed; trying again later", id, e);
      }
    }

    @Override
    public void close() throws IOException {
      looking.shutdownNow();
      try {
        if (!looking.awaitTermination(END_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
          throw new IOException("files are still being freed after " + END_TIMEOUT_MS + " ms");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the service's end goes on
      }
    }
  }

  /**
   * Frees the outputs of applications that have ended, on a thread of its own: disks are slow, and
   * the NodeManager's dispatcher starts no container while it waits.
   *
   * <p>Before that, the service forgets the application. YARN says only once that it has ended, and
   * this process may be killed while it frees. The next start frees the outputs of applications
   * that the service does not know.
   *
   * <p>Thread contract: safe from any thread; {@link #ended} waits for no disk. Ownership: {@link
   * ServingNode} closes it before the service. Failure: outputs that cannot be freed are logged,
   * and the next start frees them.
   */
  static final class ApplicationCleaner implements Closeable {
    private static final Logger LOG = LoggerFactory.getLogger(ApplicationCleaner.class);
    private static final long IDLE_MS = 10_000;
    private static final long END_TIMEOUT_MS = 30_000;

    private final Freeing freeing;
    private final ThreadPoolExecutor thread = DaemonThreads.executor("sluice-ended", IDLE_MS);

    /** The two steps in which the service ends an application. */
    interface Freeing {
      /** Records the end for the next start, and frees nothing. */
      void forget(String applicationId) throws IOException;

      /** Frees all outputs of the application. */
      void free(String applicationId) throws IOException;
    }

    /** No application has ended yet. */
    ApplicationCleaner(Freeing freeing) {
      this.freeing = freeing;
    }

    /** An application has ended: its outputs are freed soon. */
    void ended(String applicationId) {
      try {
        freeing.forget(applicationId);
      } catch (IOException | RuntimeException e) {
        LOG.error(
            "The end of {} is not recorded; its outputs stay if this process is killed now",
            applicationId,
            e);
      }
      try {
        thread.execute(() -> free(applicationId));
      } catch (RejectedExecutionException | OutOfMemoryError e) { // of threads, as the JVM calls it
        LOG.error("The outputs of {} stay until the next start", applicationId, e);
      }
    }

    private void free(String applicationId) {
      try {
        freeing.free(applicationId);
      } catch (IOException | RuntimeException e) {
        LOG.error("The outputs of {} could not be freed", applicationId, e);
      }
    }

    /** Waits until all is freed, or {@value #END_TIMEOUT_MS} ms. */
    @Override
    public void close() {
      thread.shutdown();
      try {
        if (!thread.awaitTermination(END_TIMEOUT_MS, TimeUnit.MILLISECONDS)) {
          LOG.warn("Outputs of applications that have ended stay until the next start");
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt(); // the service's end goes on
      }
    }
  }
}
