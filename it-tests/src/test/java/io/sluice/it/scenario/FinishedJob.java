package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.job.JobCounters;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.job.RunningJob.JobResult;
import java.util.List;
import java.util.function.Predicate;

/**
 * A job that has ended, as its history tells it, and what can be demanded of it.
 *
 * @param cluster where it ran
 * @param counters its counters
 * @param attempts every attempt of its tasks
 */
record FinishedJob(PseudoCluster cluster, JobCounters counters, List<TaskAttempt> attempts) {

  static FinishedJob of(PseudoCluster cluster, JobResult result) {
    JobHistory history = JobHistory.of(cluster);
    return new FinishedJob(
        cluster, history.counters(result.jobId()), history.attempts(result.jobId()));
  }

  /** Each of these counters of Sluice's is above zero. */
  FinishedJob has(String... names) {
    for (String name : names) {
      assertTrue(counters.sluice(name) > 0, name + " is zero: " + sluice());
    }
    return this;
  }

  /** None of these counters of Sluice's was touched. */
  FinishedJob hasNo(String... names) {
    for (String name : names) {
      assertEquals(0, counters.sluice(name), name + " of " + sluice());
    }
    return this;
  }

  /** Nothing was left to stock. */
  FinishedJob hasNoFallback() {
    assertEquals(0, counters.sluiceSum("FALLBACK_"), "fallbacks of " + sluice());
    return hasNo("READ_BYTES_HTTP");
  }

  /** Map output was read where it lay and from the other node, and all of it through Sluice. */
  FinishedJob readBothWays() {
    return has("READ_BYTES_LOCAL", "READ_BYTES_TCP").hasNoFallback();
  }

  /** All map output was read through Sluice; YARN placed maps and reduces as it liked. */
  FinishedJob readWherever() {
    long bytes = counters.sluice("READ_BYTES_LOCAL") + counters.sluice("READ_BYTES_TCP");
    assertTrue(bytes > 0, "nothing was read: " + sluice());
    return hasNoFallback();
  }

  /** No attempt of any task had to be repeated. */
  FinishedJob allSucceededAtOnce() {
    assertEquals(List.of(), unsuccessful(), "attempts that did not succeed");
    return this;
  }

  /** This attempt did not keep its success, or had none. */
  FinishedJob lost(String attemptId) {
    assertTrue(
        unsuccessful().stream().anyMatch(attempt -> attempt.id().equals(attemptId)),
        attemptId + " should have failed or been killed: " + attempts);
    return this;
  }

  /** The tasks of these attempts had so many attempts each. */
  FinishedJob attempted(int times, List<TaskProcess> tasks) {
    for (TaskProcess task : tasks) {
      String id = task.attemptId();
      String prefix = id.substring(0, id.lastIndexOf('_') + 1);
      assertEquals(
          times,
          attempts.stream().filter(attempt -> attempt.id().startsWith(prefix)).count(),
          () -> "attempts of the task of %s among %s".formatted(id, attempts));
    }
    return this;
  }

  /** The container logs of these attempts have a line with this text. */
  FinishedJob logged(Predicate<TaskAttempt> which, String text) {
    List<TaskAttempt> chosen = attempts.stream().filter(which).toList();
    assertTrue(!chosen.isEmpty(), "no such attempts: " + attempts);
    for (TaskAttempt attempt : chosen) {
      List<String> log = cluster.containerLogs().syslog(attempt.containerId());
      assertTrue(
          log.stream().anyMatch(line -> line.contains(text)),
          () -> "no line with \"%s\" in the log of %s".formatted(text, attempt.id()));
    }
    return this;
  }

  /** So have all maps; one that was overtaken may have been killed before it logged anything. */
  FinishedJob mapsLogged(String text) {
    return logged(attempt -> attempt.map() && attempt.succeeded(), text);
  }

  /** So have all reduces that were not overtaken. */
  FinishedJob reducesLogged(String text) {
    return logged(attempt -> !attempt.map() && attempt.succeeded(), text);
  }

  private List<TaskAttempt> unsuccessful() {
    return attempts.stream().filter(attempt -> !attempt.succeeded()).toList();
  }

  private String sluice() {
    return counters.group(JobCounters.SLUICE).toString();
  }
}
