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
}
