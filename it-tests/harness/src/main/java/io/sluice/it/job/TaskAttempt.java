package io.sluice.it.job;

import com.fasterxml.jackson.databind.JsonNode;

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
