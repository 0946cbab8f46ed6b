package io.sluice.bench.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.bench.local.EngineSchedule.JobHistoryTimes;
import io.sluice.bench.local.EngineSchedule.JobWork;
import io.sluice.bench.local.EngineSchedule.JobWork.MapWork;
import io.sluice.it.cluster.ClusterException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobWorkTest {
  private static final String SPACE = "org.apache.hadoop.mapreduce.jobhistory.";

  private final List<String> lines = new ArrayList<>(List.of("Avro-Json", "{}"));

  private void event(String type, String datum, String fields) {
    lines.add("{\"type\":\"%s\",\"event\":{\"%s\":{%s}}}".formatted(type, SPACE + datum, fields));
  }

  private void attempt(
      String kind, String id, long startMs, String inputEnd, long inputMs, long finishMs) {
    event(
        kind + "_ATTEMPT_STARTED",
        "TaskAttemptStarted",
        "\"attemptId\":\"%s\",\"startTime\":%d".formatted(id, startMs));
    event(
        kind + "_ATTEMPT_FINISHED",
        kind.charAt(0) + "AttemptFinished",
        "\"attemptId\":\"%s\",\"%s\":%d,\"finishTime\":%d"
            .formatted(id, inputEnd, inputMs, finishMs));
  }

  /** Map b waits for the only sort slot from 230 to 300; reduce c from 150 on for all maps. */
  @Test
  void waitsForOtherTasksAreNoWork() throws IOException {
    event("JOB_SUBMITTED", "JobSubmitted", "\"jobid\":\"job_1\"");
    attempt("REDUCE", "c", 150, "shuffleFinishTime", 350, 380);
    attempt("MAP", "b", 200, "mapFinishTime", 230, 350);
    attempt("MAP", "a", 100, "mapFinishTime", 200, 300);
    attempt("REDUCE", "d", 380, "shuffleFinishTime", 385, 400);
    JobHistoryTimes times = JobHistoryTimes.parse(lines);
    assertEquals(300, times.tasksMs());
    JobWork work = JobWork.ofOneThread(times);
    assertEquals(List.of(new MapWork(100, 100), new MapWork(30, 50)), work.maps());
    assertEquals(List.of(30.0, 20.0), work.reduceMs());
  }

  @Test
  void aFailedAttemptIsNoMeasure() {
    event("MAP_ATTEMPT_FAILED", "TaskAttemptUnsuccessfulCompletion", "\"attemptId\":\"a\"");
    assertThrows(ClusterException.class, () -> JobHistoryTimes.parse(lines));
  }

  @Test
  void aHistoryWithoutMapsIsNone() {
    assertThrows(ClusterException.class, () -> JobHistoryTimes.parse(lines));
  }
}
