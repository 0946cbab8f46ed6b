package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A job client at work: a process of its own, as {@code hadoop jar} starts it.
 *
 * <p>One thread reads its output; the methods may be called from any other. {@link #await} ends the
 * client at the deadline; whoever starts a job awaits or closes it.
 */
public final class RunningJob implements AutoCloseable {
  private static final Duration SUBMIT_DEADLINE = Duration.ofMinutes(15);
  private static final Pattern SUBMITTED = Pattern.compile("Running job: (job_\\d+_\\d+)");
  private static final Pattern PROGRESS = Pattern.compile(" map (\\d+)% reduce (\\d+)%");

  private final PseudoCluster cluster;
  private final JobSpec spec;
  private final Process client;
  private final long nodeManagerCpuBeforeMs;
  private final CompletableFuture<String> jobId = new CompletableFuture<>();
  private final CompletableFuture<String> output = new CompletableFuture<>();

  private RunningJob(PseudoCluster cluster, JobSpec spec, JobProgress progress) {
    this.cluster = cluster;
    this.spec = spec;
    this.nodeManagerCpuBeforeMs = cluster.nodeManagerCpuMs();
    this.client =
        cluster.startClient(
            "org.apache.hadoop.util.RunJar", JobCommand.arguments(spec), spec.user());
    Thread reader = new Thread(() -> read(progress), "job-client-output");
    reader.setDaemon(true);
    reader.start();
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

  /** The id of the job, once the client has submitted it. */
  public String jobId() {
    return get(jobId, SUBMIT_DEADLINE, "the client to submit the job");
  }

  /** Waits for the client's end. */
  public JobResult await() {
    String printed = get(output, spec.deadline(), "the job to finish");
    int exitStatus = client.onExit().join().exitValue();
    cluster.requireAlive();
    return new JobResult(
        spec,
        jobId.getNow(""),
        exitStatus,
        printed,
        cluster.nodeManagerCpuMs() - nodeManagerCpuBeforeMs);
  }

  /** Fails once the client has ended: what somebody waits for in its job will not come any more. */
  public void requireAlive() {
    if (output.isDone()) {
      throw new ClusterException(
          spec.name() + " has ended too early; its client printed:\n" + output.join());
    }
  }

  @Override
  public void close() {
    client.destroyForcibly();
  }

  private void read(JobProgress progress) {
    StringBuilder printed = new StringBuilder();
    try (BufferedReader lines = client.inputReader(StandardCharsets.UTF_8)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        printed.append(line).append('\n');
        Matcher submitted = SUBMITTED.matcher(line);
        if (submitted.find()) {
          jobId.complete(submitted.group(1));
        }
        Matcher percent = PROGRESS.matcher(line);
        if (percent.find()) {
          progress.at(Integer.parseInt(percent.group(1)), Integer.parseInt(percent.group(2)));
        }
      }
      jobId.complete("");
      output.complete(printed.toString());
    } catch (IOException | RuntimeException e) {
      jobId.completeExceptionally(e);
      output.completeExceptionally(e);
    }
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
}
