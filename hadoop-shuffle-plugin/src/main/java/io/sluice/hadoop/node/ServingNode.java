package io.sluice.hadoop.node;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.hadoop.service.SluiceShuffleService.NodeRole;
import io.sluice.node.service.MachineMemory;
import io.sluice.node.service.NodeService;
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
 * NodeManager down, so this one never does: it degrades, says why in the log and to the tasks, and
 * they use the stock shuffle.
 */
final class ServingNode implements NodeRole {
  private static final String BEAN_NAME = "SluiceShuffle";
  private static final Logger LOG = LoggerFactory.getLogger(ServingNode.class);

  private static final int MAX_REASON = 500;

  private NodeService service;
  private FileExpiry forgottenFiles;
  private final ApplicationCleaner ended = new ApplicationCleaner(new Freeing());

  /** Kept from the first container on: it is too late to ask when a task of another user comes. */
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
          service.listening());
      if (NodeSettings.POOL_CAPACITY_MB.get(conf::getTrimmed).isEmpty()) {
        ContainerMemory.shortage(
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

  /** Only a NodeManager that recovers keeps its containers, and with them what they wrote. */
  private NodeService recover(Configuration conf, Path recoveryPath) throws IOException {
    RecoveryState state =
        RecoveryState.read(conf, java.nio.file.Path.of(recoveryPath.toUri().getPath()));
    boolean knowsPool = state.knowsPoolOf(NodeManagerPlan.directory(conf));
    if (!knowsPool) {
      LOG.info("This NodeManager knows no application of before: Sluice's pool starts empty");
    }
    return recorded(
        NodeManagerPlan.start(conf, users, knowsPool, state.port()),
        address -> state.keep(address.socket().getParent(), address.controlPort(), knowsPool));
  }

  /** Writes down what the next start is to know of a service. */
  private interface Recording {
    void write(ServiceAddress address) throws IOException;
  }

  /** The service, or none: of one whose pool is not on record the next start would be wrong. */
  private static NodeService recorded(NodeService started, Recording recording) throws IOException {
    try {
      recording.write(started.metadata().address());
      return started;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, started);
      throw e;
    }
  }

  /** What tasks are told, cut to what the environment of a container can be asked to hold. */
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
          // Nobody will read it again, and it may be memory.
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
    for (String known : service.applicationsNotHeardOf(0)) {
      if (known.startsWith(applicationId + "_")) { // a further attempt of it
        ended.ended(known);
      }
    }
    ended.ended(applicationId);
  }

  /** Of the service, once there is one. */
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
