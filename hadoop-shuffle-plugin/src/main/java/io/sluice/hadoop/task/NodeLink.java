package io.sluice.hadoop.task;

import io.sluice.hadoop.service.SluiceShuffleService;
import io.sluice.node.local.LocalClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Map;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapreduce.JobID;
import org.apache.hadoop.yarn.util.AuxiliaryServiceHelper;

/**
 * How a task finds the service of its own node: the NodeManager puts the metadata of each of its
 * auxiliary services into the environment of every container.
 */
public final class NodeLink {
  private static final String JOB_PREFIX = "job_";
  private static final String APPLICATION_PREFIX = "application_";

  private NodeLink() {}

  /**
   * What the node's service says of itself.
   *
   * @param environment of the container
   * @throws IOException in plain words, if there is no service or it does not work
   */
  public static NodeMetadata metadata(Map<String, String> environment) throws IOException {
    ByteBuffer data =
        AuxiliaryServiceHelper.getServiceDataFromEnv(SluiceShuffleService.NAME, environment);
    if (data == null || !data.hasRemaining()) {
      throw new IOException(
          "this node's NodeManager runs no auxiliary service "
              + SluiceShuffleService.NAME
              + "; see yarn.nodemanager.aux-services");
    }
    byte[] bytes = new byte[data.remaining()];
    data.get(bytes);
    NodeMetadata metadata = NodeMetadata.decode(bytes);
    if (!metadata.isRunning()) {
      throw new IOException(
          "this node's Sluice service could not start: " + metadata.degradedReason());
    }
    return metadata;
  }

  /** Connects to the node's service on behalf of a task of {@code job}. */
  public static LocalClient connect(
      NodeMetadata metadata, JobID job, SecretKey secret, long timeoutMs) throws IOException {
    try {
      return LocalClient.connect(
          metadata.socket(), applicationId(job), jobSecret(secret), timeoutMs);
    } catch (IOException e) {
      throw new IOException(
          "this node's Sluice service does not serve this task at "
              + metadata.socket()
              + ": "
              + e.getMessage(),
          e);
    }
  }

  /** The YARN application of a job; the service hears of its end by that name. */
  public static String applicationId(JobID job) {
    String text = job.toString();
    if (!text.startsWith(JOB_PREFIX)) {
      throw new IllegalArgumentException("job id '" + text + "' does not begin with job_");
    }
    return APPLICATION_PREFIX + text.substring(JOB_PREFIX.length());
  }

  /** The job's shuffle secret as the node protocols use it. */
  public static JobSecret jobSecret(SecretKey secret) {
    return new JobSecret(secret.getEncoded());
  }
}
