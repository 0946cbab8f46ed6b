package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import java.util.List;

/**
 * How a job client ended.
 *
 * @param spec what it was given
 * @param jobIds the jobs it submitted, in that order; none if it never got so far
 * @param exitStatus the client's
 * @param output all it printed
 * @param nodeManagerCpuMs processor time of the NodeManagers' own JVMs while it ran
 */
public record JobResult(
    JobSpec spec, List<String> jobIds, int exitStatus, String output, long nodeManagerCpuMs) {

  /** The first job; empty if there is none. */
  public String jobId() {
    return jobIds.isEmpty() ? "" : jobIds.get(0);
  }

  public boolean succeeded() {
    return exitStatus == 0;
  }

  /** Fails, with what the client printed last, unless the job succeeded. */
  public JobResult requireSuccess() {
    if (!succeeded()) {
      throw failure("");
    }
    return this;
  }

  /** What {@link #requireSuccess} fails with, and more that is known of it. */
  ClusterException failure(String more) {
    return new ClusterException(
        "job %s (%s) failed with exit status %d%nThe client's last words:%n%s%s"
            .formatted(
                spec.name(),
                String.join(", ", jobIds),
                exitStatus,
                output.substring(Math.max(0, output.length() - 4000)),
                more));
  }
}
