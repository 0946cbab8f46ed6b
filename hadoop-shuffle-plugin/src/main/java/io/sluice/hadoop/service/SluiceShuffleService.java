package io.sluice.hadoop.service;

import io.sluice.node.service.NodeService;
import io.sluice.node.wire.NodeMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import javax.management.ObjectName;
import org.apache.commons.lang3.StringUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.metrics2.util.MBeans;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NodeManager's auxiliary service: runs a {@link NodeService} beside the stock ShuffleHandler.
 *
 * <p>It is configured in {@code yarn.nodemanager.aux-services} only and never named by jobs ({@code
 * mapreduce.job.shuffle.provider.services}), so nodes with and without it mix. Tasks learn of it
 * from their environment, and it learns of an application's end from YARN, named or not.
 *
 * <p>Thread contract: called by the NodeManager's dispatcher. Ownership: YARN starts and stops it.
 * Failure: an auxiliary service that throws takes its NodeManager down, so this one never does: it
 * degrades, says why in the log and to the tasks, and they use the stock shuffle.
 */
public final class SluiceShuffleService extends AuxiliaryService {
  /** The name it must have in {@code yarn.nodemanager.aux-services}. */
  public static final String NAME = "sluice_shuffle";

  private static final String BEAN_NAME = "SluiceShuffle";
  private static final Logger LOG = LoggerFactory.getLogger(SluiceShuffleService.class);

  private static final int MAX_REASON = 500;

  private NodeService service;
  private ObjectName bean;
  private NodeMetadata metadata = NodeMetadata.degraded("it has not been started");

  /** Made by the NodeManager. */
  public SluiceShuffleService() {
    super(NAME);
  }

  @Override
  protected void serviceStart() throws Exception {
    Configuration conf = getConfig();
    try {
      // Only a NodeManager that recovers keeps its containers, and with them what they wrote.
      service = ServiceAssembly.start(conf, getRecoveryPath() != null);
      metadata = service.metadata();
      LOG.info(
          "Sluice serves its pool at {} on port {} over {}",
          metadata.pool(),
          metadata.controlPort(),
          service.transportCounters().keySet());
    } catch (Exception | Error e) {
      // Errors too: no direct memory, a library that does not load, a full tmpfs behind a mapping.
      metadata = NodeMetadata.degraded(reason(e));
      LOG.error("Sluice cannot serve on this node; its tasks use the stock shuffle", e);
    }
    bean = MBeans.register("NodeManager", BEAN_NAME, new PoolState(metadata, service));
    super.serviceStart();
  }

  /** What tasks are told, cut to what the environment of a container can be asked to hold. */
  private static String reason(Throwable cause) {
    String text = cause instanceof IOException ? cause.getMessage() : cause.toString();
    return StringUtils.abbreviate(StringUtils.defaultIfBlank(text, cause.toString()), MAX_REASON);
  }

  @Override
  protected void serviceStop() throws Exception {
    if (bean != null) {
      MBeans.unregister(bean);
      bean = null;
    }
    if (service != null) {
      try {
        service.close();
        if (getRecoveryPath() == null) {
          // Nobody will read it again, and it may be memory.
          PoolPlace.remove(metadata.pool());
        }
      } catch (IOException | RuntimeException e) {
        LOG.error("Sluice's service did not close cleanly", e);
      }
    }
    super.serviceStop();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext context) {
    // Not named by jobs, hence never called; tasks introduce their application themselves.
  }

  @Override
  public void stopApplication(ApplicationTerminationContext context) {
    if (service == null) {
      return;
    }
    String applicationId = context.getApplicationId().toString();
    try {
      service.applicationStopped(applicationId);
    } catch (IOException | RuntimeException e) {
      LOG.error("The outputs of {} could not be freed", applicationId, e);
    }
  }

  @Override
  public ByteBuffer getMetaData() {
    return ByteBuffer.wrap(metadata.encode());
  }
}
