package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;

/**
 * A job client at work: a process of its own, as {@code hadoop jar} starts it.
 *
 * <p>The methods may be called from any thread. {@link #await} ends the client at the deadline;
 * whoever starts a job awaits or closes it.
 */
public final class RunningJob implements AutoCloseable {
  private static final Duration SUBMIT_DEADLINE = Duration.ofMinutes(15);

  private final PseudoCluster cluster;
  private final JobSpec spec;
  private final Process client;
  private final long nodeManagerCpuBeforeMs;
  private final ClientOutput output;

  private RunningJob(PseudoCluster cluster, JobSpec spec, JobProgress progress) {
    this.cluster = cluster;
    this.spec = spec;
    this.nodeManagerCpuBeforeMs = cluster.nodeManagerCpuMs();
    this.client =
        cluster.startClient(
            "org.apache.hadoop.util.RunJar", JobCommand.arguments(spec), spec.user());
    this.output = ClientOutput.of(spec.name(), client, progress);
  }

  public static RunningJob start(PseudoCluster cluster, JobSpec spec, JobProgress progress) {
    return new RunningJob(cluster, spec, progress);
  }

  /** Runs a job to its end. */
  public static JobResult run(PseudoCluster cluster, JobSpec spec, JobProgress progress) {
    try (RunningJob job = start(cluster, spec, progress)) {
      return job.await();
    }
  }

  /** The id of the first job, once the client has submitted it. */
  public String jobId() {
    return get(output.jobId(), SUBMIT_DEADLINE, "the client to submit the job");
  }

  /** Waits for the client's end. */
  public JobResult await() {
    String printed = get(output.whole(), spec.deadline(), "the job to finish");
    int exitStatus = client.onExit().join().exitValue();
    cluster.requireAlive();
    return new JobResult(
        spec,
        output.jobIds(),
        exitStatus,
        printed,
        cluster.nodeManagerCpuMs() - nodeManagerCpuBeforeMs);
  }

  /** The same of a job that must succeed: fails with what its attempts died of. */
  public JobResult awaitSuccess() {
    JobResult result = await();
    if (!result.succeeded()) {
      throw result.failure(
          result.jobIds().stream().map(this::failedAttempts).collect(Collectors.joining()));
    }
    return result;
  }

  /** A client says nothing of the attempt that was its task's last. */
  private String failedAttempts(String jobId) {
    try {
      return JobHistory.of(cluster).attempts(jobId).stream()
          .filter(attempt -> !attempt.succeeded())
          .map(
              attempt ->
                  "%n%s %s: %s".formatted(attempt.id(), attempt.state(), attempt.diagnostics()))
          .collect(Collectors.joining());
    } catch (ClusterException e) {
      return "%nWhat its attempts died of is not known: %s".formatted(e.getMessage());
    }
  }

  /** Fails once the client has ended: what somebody waits for in its job will not come any more. */
  public void requireAlive() {
    output.requireMore();
  }

  @Override
  public void close() {
    client.destroyForcibly();
  }

  private <T> T get(CompletableFuture<T> future, Duration deadline, String what) {
    try {
      return future.get(deadline.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException e) {
      close();
      cluster.requireAlive();
      throw new ClusterException(
          "%s: waited %d s for %s; daemons' logs are in %s"
              .formatted(spec.name(), deadline.toSeconds(), what, cluster.logs()),
          e);
    } catch (ExecutionException e) {
      throw new ClusterException(
          spec.name() + ": reading the client's output failed", e.getCause());
    } catch (InterruptedException e) {
      close();
      Thread.currentThread().interrupt();
      throw new ClusterException(spec.name() + ": interrupted while waiting for " + what, e);
    }
  }

  /** The arguments of {@code hadoop jar} for a job. */
  static final class JobCommand {
    private JobCommand() {}

    static List<String> arguments(JobSpec spec) {
      List<String> arguments = new ArrayList<>();
      arguments.add(spec.jar().toString());
      arguments.add(spec.program());
      spec.settings().forEach((key, value) -> arguments.add("-D" + key + "=" + value));
      arguments.addAll(spec.arguments());
      return arguments;
    }
  }
}
