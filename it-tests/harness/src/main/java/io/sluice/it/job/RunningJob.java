package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.PseudoCluster;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A job client at work: a process of its own, as {@code hadoop jar} starts it.
 *
 * <p>The methods may be called from any thread. {@link #await} ends the client at the deadline; its
 * starter awaits or closes it.
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
        cluster.startClient("org.apache.hadoop.util.RunJar", spec.commandLine(), spec.user());
    this.output =
        new ClientOutput(spec.name(), client.inputReader(StandardCharsets.UTF_8), progress);
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

  /** Is told how far a job is, on the thread that reads the client's output. */
  @FunctionalInterface
  public interface JobProgress {
    JobProgress SILENT = (mapPercent, reducePercent) -> {};

    void at(int mapPercent, int reducePercent);
  }

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

    /** The failure of {@link #requireSuccess}, with more that is known of it. */
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

  /**
   * The output of a job client: the ids of its jobs, their progress, and all of it in the end.
   *
   * <p>A thread of its own reads, until the client closes its output, and tells the progress.
   * Thread contract: safe from any thread.
   */
  static final class ClientOutput {
    private static final Pattern SUBMITTED = Pattern.compile("Running job: (job_\\d+_\\d+)");
    private static final Pattern PROGRESS = Pattern.compile(" map (\\d+)% reduce (\\d+)%");

    private final String job;
    private final JobProgress progress;
    private final CompletableFuture<String> jobId = new CompletableFuture<>();
    private final List<String> jobIds = new CopyOnWriteArrayList<>();
    private final CompletableFuture<String> whole = new CompletableFuture<>();

    /**
     * Reads from now on.
     *
     * @param job how messages call it
     */
    ClientOutput(String job, BufferedReader lines, JobProgress progress) {
      this.job = job;
      this.progress = progress;
      Thread reader = new Thread(() -> read(lines), "job-client-output");
      reader.setDaemon(true);
      reader.start();
    }

    /** The id of the first job once it was submitted; empty if the client ended without that. */
    CompletableFuture<String> jobId() {
      return jobId;
    }

    /** The ids of all jobs that were submitted so far, in that order. */
    List<String> jobIds() {
      return List.copyOf(jobIds);
    }

    /** All of it, once the client has ended. */
    CompletableFuture<String> whole() {
      return whole;
    }

    /** Fails once the client has ended. */
    void requireMore() {
      if (whole.isDone()) {
        throw new ClusterException(
            job + " has ended too early; its client printed:\n" + whole.join());
      }
    }

    private void read(BufferedReader from) {
      StringBuilder printed = new StringBuilder();
      try (BufferedReader lines = from) {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
          printed.append(line).append('\n');
          Matcher submitted = SUBMITTED.matcher(line);
          if (submitted.find()) {
            jobIds.add(submitted.group(1));
            jobId.complete(submitted.group(1));
          }
          Matcher percent = PROGRESS.matcher(line);
          if (percent.find()) {
            progress.at(Integer.parseInt(percent.group(1)), Integer.parseInt(percent.group(2)));
          }
        }
        jobId.complete("");
        whole.complete(printed.toString());
      } catch (IOException | RuntimeException e) {
        jobId.completeExceptionally(e);
        whole.completeExceptionally(e);
      }
    }
  }
}
