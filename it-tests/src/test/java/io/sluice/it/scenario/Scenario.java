package io.sluice.it.scenario;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.Gate;
import io.sluice.it.jobs.OldApiScenarioJob;
import io.sluice.it.jobs.ScenarioJob;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * A scenario job with its settings, to be run in one variant after the other.
 *
 * <p>No attempt is speculative: on a busy machine a task may get a twin at any moment, which is
 * killed before it has a log or once the first has succeeded, and tests count attempts.
 *
 * @param name unique among the scenarios: also the directory of the outputs
 * @param program the job's main class
 * @param settings {@link io.sluice.it.jobs.ScenarioConf} keys and any others
 */
public record Scenario(String name, Class<?> program, Map<String, String> settings) {
  private static final Map<String, String> ONE_ATTEMPT =
      Map.of("mapreduce.map.speculative", "false", "mapreduce.reduce.speculative", "false");
  private static final Duration DEADLINE = Duration.ofMinutes(20);
  private static final Duration GATE_DEADLINE = Duration.ofMinutes(10);

  public static Scenario newApi(String name) {
    return new Scenario(name, ScenarioJob.class, Map.of());
  }

  public static Scenario oldApi(String name) {
    return new Scenario(name, OldApiScenarioJob.class, Map.of());
  }

  public Scenario with(String key, Object value) {
    Map<String, String> more = new LinkedHashMap<>(settings);
    more.put(key, value.toString());
    return new Scenario(name, program, more);
  }

  public Scenario with(Map<String, String> more) {
    Map<String, String> all = new LinkedHashMap<>(settings);
    all.putAll(more);
    return new Scenario(name, program, all);
  }

  /** The same job over the same records, by another name and with outputs of its own. */
  public Scenario named(String other) {
    return new Scenario(other, program, settings);
  }

  /** Where a variant's output goes. */
  public String output(HadoopVariant variant) {
    return "/scenario/" + name + "/" + variant;
  }

  /** Runs the job to its end, whatever that is. */
  public JobResult run(PseudoCluster cluster, HadoopVariant variant) {
    return RunningJob.run(cluster, spec(variant), JobProgress.SILENT);
  }

  /** Starts the job; the caller closes it. */
  public RunningJob start(PseudoCluster cluster, HadoopVariant variant) {
    return RunningJob.start(cluster, spec(variant), JobProgress.SILENT);
  }

  /** What is submitted to run it. */
  JobSpec spec(HadoopVariant variant) {
    return new JobSpec(
            name + ", " + variant.title(),
            Workspace.find().jobsJar(),
            program.getName(),
            variant.settings(),
            List.of(output(variant)),
            DEADLINE)
        .with(ONE_ATTEMPT)
        .with(settings);
  }

  /** Waits until this many attempts stand at a gate and names them; not if the job has ended. */
  public static List<String> awaitReached(RunningJob job, Path gate, int attempts) {
    return Poll.until(
        attempts + " task attempts at the gate " + gate,
        GATE_DEADLINE,
        () -> {
          job.requireAlive();
          try (Stream<Path> files = Files.list(gate)) {
            List<String> reached =
                files
                    .map(file -> file.getFileName().toString())
                    .filter(file -> file.endsWith(Gate.REACHED_SUFFIX))
                    .map(file -> file.replace(Gate.REACHED_SUFFIX, ""))
                    .sorted()
                    .toList();
            return Optional.of(reached).filter(found -> found.size() >= attempts);
          }
        });
  }
}
