package io.sluice.bench.rmr;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobSpec;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Starts programs of the module workloads, as {@code hadoop jar} does. Stateless. */
final class WorkloadProgram {
  static final Duration DEADLINE = Duration.ofMinutes(60);

  private WorkloadProgram() {}

  /** One of them, by its name. */
  static JobSpec of(Workspace workspace, String name, String... arguments) {
    return new JobSpec(
        name, workspace.workloadsJar(), name, Map.of(), List.of(arguments), DEADLINE);
  }
}
