package io.sluice.hadoop.node;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.service.SluiceShuffleService.NodeRole;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceMemory.MachineMemory;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.ServiceAddress;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
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
}
