package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;

/**
 * How a job client ended.
 *
 * @param spec what it was given
 * @param jobId the job it submitted; empty if it never got so far
 * @param exitStatus the client's
 * @param output all it printed
 * @param nodeManagerCpuMs processor time of the NodeManagers' own JVMs while it ran
 */
public record JobResult(
    JobSpec spec, String jobId, int exitStatus, String output, long nodeManagerCpuMs) {

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
                jobId,
                exitStatus,
                output.substring(Math.max(0, output.length() - 4000)),
                more));
  }
}
