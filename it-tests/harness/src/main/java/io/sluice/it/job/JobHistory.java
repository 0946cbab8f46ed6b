package io.sluice.it.job;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.Rest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Finished jobs, from the JobHistoryServer's web services. A job appears there a moment after its
 * client ended, so every question waits for it. Thread-safe.
 */
public final class JobHistory {
  private static final Duration DEADLINE = Duration.ofMinutes(5);
  private static final String JOBS = "/ws/v1/history/mapreduce/jobs/";

  private final Rest rest;
  private final String address;

  private JobHistory(Rest rest, String address) {
    this.rest = rest;
    this.address = address;
  }

  public static JobHistory of(PseudoCluster cluster) {
    return new JobHistory(cluster.rest(), cluster.historyAddress());
  }

  /** When the job was submitted and when it ended. */
  JobTimes times(String jobId) {
    JsonNode job = ask(jobId, "").path("job");
    return new JobTimes(job.path("submitTime").asLong(), job.path("finishTime").asLong());
  }

  public JobCounters counters(String jobId) {
    return JobCounters.parse(ask(jobId, "/counters").at("/jobCounters/counterGroup"));
  }

  /** Counters of one task. */
  public JobCounters taskCounters(String jobId, String taskId) {
    return JobCounters.parse(
        ask(jobId, "/tasks/" + taskId + "/counters").at("/jobTaskCounters/taskCounterGroup"));
  }

  public List<String> taskIds(String jobId) {
    List<String> ids = new ArrayList<>();
    for (JsonNode task : Rest.list(ask(jobId, "/tasks").at("/tasks/task"))) {
      ids.add(task.path("id").asText());
    }
    return ids;
  }

  /** Every attempt of every task. */
  public List<TaskAttempt> attempts(String jobId) {
    List<TaskAttempt> attempts = new ArrayList<>();
    for (String taskId : taskIds(jobId)) {
      for (JsonNode attempt :
          Rest.list(ask(jobId, "/tasks/" + taskId + "/attempts").at("/taskAttempts/taskAttempt"))) {
        attempts.add(TaskAttempt.parse(attempt));
      }
    }
    return attempts;
  }

  private JsonNode ask(String jobId, String path) {
    return Poll.until(
        "the history of " + jobId,
        DEADLINE,
        () -> Optional.of(rest.get(address, JOBS + jobId + path)));
  }

  /**
   * When a job ran.
   *
   * @param submittedAtMs since 1970
   * @param finishedAtMs the same
   */
  record JobTimes(long submittedAtMs, long finishedAtMs) {
    long wallMs() {
      return finishedAtMs - submittedAtMs;
    }
  }

  /**
   * One attempt of a task of a finished job, as the history tells it.
   *
   * @param id the attempt's id
   * @param map whether it is a map's
   * @param state such as SUCCEEDED, FAILED, KILLED
   * @param containerId what it ran in
   * @param node host and web port of the NodeManager it ran on
   * @param shuffleMs time until all map outputs were fetched; 0 for maps
   * @param mergeMs time from there until reduce() began; 0 for maps
   * @param finishedAtMs when it ended, since 1970
   * @param elapsedMs time from start to finish
   * @param diagnostics why it ended, if it did not succeed
   */
  public record TaskAttempt(
      String id,
      boolean map,
      String state,
      String containerId,
      String node,
      long shuffleMs,
      long mergeMs,
      long finishedAtMs,
      long elapsedMs,
      String diagnostics) {

    static TaskAttempt parse(JsonNode attempt) {
      return new TaskAttempt(
          attempt.path("id").asText(),
          attempt.path("type").asText().equals("MAP"),
          attempt.path("state").asText(),
          attempt.path("assignedContainerId").asText(),
          attempt.path("nodeHttpAddress").asText(),
          attempt.path("elapsedShuffleTime").asLong(),
          attempt.path("elapsedMergeTime").asLong(),
          attempt.path("finishTime").asLong(),
          attempt.path("elapsedTime").asLong(),
          attempt.path("diagnostics").asText());
    }

    /** The task's id: {@code task_1_0001_m_000000} of {@code attempt_1_0001_m_000000_0}. */
    String taskId() {
      return id.substring(0, id.lastIndexOf('_')).replaceFirst("^attempt", "task");
    }

    /** Of a reduce: until reduce() began, from when it began itself or all maps had ended. */
    long mergedAfterMs(long mapsEndedAtMs) {
      long startedAtMs = finishedAtMs - elapsedMs;
      return Math.max(0, startedAtMs + shuffleMs + mergeMs - Math.max(startedAtMs, mapsEndedAtMs));
    }

    public boolean succeeded() {
      return state.equals("SUCCEEDED");
    }
  }
}
