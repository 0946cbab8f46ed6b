package io.sluice.hadoop.service;

import io.sluice.hadoop.entry.Implementation;
import io.sluice.hadoop.entry.Implementation.Declined;
import io.sluice.hadoop.entry.Implementation.JavaVersion;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.yarn.server.api.ApplicationInitializationContext;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.AuxiliaryService;
import org.apache.hadoop.yarn.server.api.ContainerInitializationContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The NodeManager's auxiliary service.
 *
 * <p>It is configured only in {@code yarn.nodemanager.aux-services}. Jobs do not name it in {@code
 * mapreduce.job.shuffle.provider.services}, so a cluster may have nodes with and without it. Tasks
 * find it through their environment. YARN tells it when any application ends.
 *
 * <p>It is Java 8 bytecode, see {@link JavaVersion}: an auxiliary service that does not load ends
 * its NodeManager. Thread contract: called by the NodeManager's dispatcher. Ownership: YARN starts
 * and stops it. Failure: it throws nothing. If it cannot serve, it logs the reason in one line and
 * tells it to the tasks, which use the stock shuffle.
 */
public final class SluiceShuffleService extends AuxiliaryService {
  /** Its required name in {@code yarn.nodemanager.aux-services}. */
  public static final String NAME = "sluice_shuffle";

  private static final Logger LOG = LoggerFactory.getLogger(SluiceShuffleService.class);
  private static final String IMPLEMENTATION = "io.sluice.hadoop.node.ServingNode";

  private final String javaVersion;
  private NodeRole role;
  private String declined = "it has not been started";

  /** Called by the NodeManager. */
  public SluiceShuffleService() {
    this(JavaVersion.current());
  }

  SluiceShuffleService(String javaVersion) {
    super(NAME);
    this.javaVersion = javaVersion;
  }

  @Override
  protected void serviceStart() throws Exception {
    declined = JavaVersion.declineReason(javaVersion);
    if (declined == null) {
      try {
        role = Implementation.make(NodeRole.class, IMPLEMENTATION);
        role.start(getConfig(), getRecoveryPath());
      } catch (Declined e) {
        declined = e.getMessage();
      }
    }
    if (declined != null) {
      LOG.error(
          "Sluice does not serve on this node, whose tasks use stock's shuffle: {}", declined);
    }
    super.serviceStart();
  }

  @Override
  protected void serviceStop() throws Exception {
    if (role != null) {
      role.stop(getRecoveryPath() != null);
    }
    super.serviceStop();
  }

  @Override
  public void initializeApplication(ApplicationInitializationContext context) {
    // YARN calls it only for services that a job names; tasks register their application
    // themselves.
  }

  @Override
  public void initializeContainer(ContainerInitializationContext context) {
    if (role != null) {
      role.startContainer(
          context.getContainerId().getApplicationAttemptId().getApplicationId().toString(),
          context.getUser());
    }
  }

  @Override
  public void stopApplication(ApplicationTerminationContext context) {
    if (role != null) {
      role.stopApplication(context.getApplicationId().toString());
    }
  }

  @Override
  public ByteBuffer getMetaData() {
    return role != null ? role.metadata() : DegradedNode.metadata(declined);
  }

  /**
   * The metadata for the tasks of a node on which Sluice's other classes do not load. It has the
   * form of {@code io.sluice.node.wire.NodeMetadata}, which is one of those classes; a test keeps
   * the two equal.
   *
   * <pre>
   *   0        4         6             7                11
   *   +--------+---------+-------------+----------------+-----------------+
   *   | "SLCE" | version | DEGRADED, 2 | length of text | reason in UTF-8 |
   *   +--------+---------+-------------+----------------+-----------------+
   * </pre>
   */
  static final class DegradedNode {
    private static final int MAGIC = 0x534c4345;
    private static final int VERSION = 3;
    private static final int DEGRADED = 2;

    private DegradedNode() {}

    static ByteBuffer metadata(String reason) {
      byte[] text = reason.getBytes(StandardCharsets.UTF_8);
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      try {
        DataOutputStream out = new DataOutputStream(bytes);
        out.writeInt(MAGIC);
        out.writeShort(VERSION);
        out.writeByte(DEGRADED);
        out.writeInt(text.length);
        out.write(text);
      } catch (IOException e) {
        throw new UncheckedIOException("writing to memory cannot fail", e);
      }
      return ByteBuffer.wrap(bytes.toByteArray());
    }
  }

  /** The work of the auxiliary service, apart from the class that YARN loads. */
  public interface NodeRole {
    /**
     * Starts.
     *
     * @param recoveryPath the NodeManager's directory for the service's state across a restart that
     *     keeps containers; null if it keeps none
     */
    void start(Configuration conf, Path recoveryPath);

    /** The metadata for the tasks of the node. */
    ByteBuffer metadata();

    /** YARN starts, or has recovered, a container of an application for a user. */
    void startContainer(String applicationId, String user);

    /** An application has ended. */
    void stopApplication(String applicationId);

    /** Stops; {@code recovers} if the NodeManager keeps its containers over a restart. */
    void stop(boolean recovers);
  }
}
