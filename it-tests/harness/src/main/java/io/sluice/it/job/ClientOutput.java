package io.sluice.it.job;

import io.sluice.it.cluster.ClusterException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a job client prints: the ids of its jobs, their progress, and all of it in the end.
 *
 * <p>A thread of its own reads, until the client closes its output. Thread contract: safe from any
 * thread; the progress is told by that one.
 */
final class ClientOutput {
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

  /** A client's. */
  static ClientOutput of(String job, Process client, JobProgress progress) {
    return new ClientOutput(job, client.inputReader(StandardCharsets.UTF_8), progress);
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
