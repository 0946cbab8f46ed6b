package io.sluice.hadoop.task;

import io.sluice.node.local.LocalClient;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.Path;
import javax.crypto.SecretKey;
import org.apache.hadoop.mapreduce.JobID;

/** How a task of a job is known to the service of its own node. */
public final class NodeLink {
  private static final String JOB_PREFIX = "job_";
  private static final String APPLICATION_PREFIX = "application_";

  private NodeLink() {}

  /** Connects to the node's service on behalf of a task of {@code job}. */
  public static LocalClient connect(
      NodeMetadata service, JobID job, SecretKey secret, long timeoutMs) throws IOException {
    Path socket = service.address().socket();
    try {
      return LocalClient.connect(socket, applicationId(job), jobSecret(secret), timeoutMs);
    } catch (IOException e) {
      throw new IOException(reason(service, Owner.ofThisProcess(), e), e);
    }
  }

  /** Another user's directory cannot even be looked into, so that the failure says little. */
  private static String reason(NodeMetadata service, Owner task, IOException failure) {
    return service.owner().equals(task)
        ? "this node's Sluice service does not serve this task at "
            + service.address().socket()
            + ": "
            + failure.getMessage()
        : "this node's Sluice service belongs to user id "
            + service.owner()
            + " and serves no other; this task runs as user id "
            + task;
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
