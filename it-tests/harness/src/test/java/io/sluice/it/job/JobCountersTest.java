package io.sluice.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.job.JobCosts.ShufflePath;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JobCountersTest {
  private static JobCounters parse(String json) throws JsonProcessingException {
    return JobCounters.parse(new ObjectMapper().readTree(json));
  }

  @Test
  void aListOfOneMayComeAsTheElementItself() throws JsonProcessingException {
    JobCounters counters =
        parse(
            """
            [{"counterGroupName": "G", "counter": {"name": "ONE", "totalCounterValue": 7}}]
            """);
    assertEquals(7, counters.require("G", "ONE"));
    assertThrows(ClusterException.class, () -> counters.require("G", "OTHER"));
  }

  @Test
  void countersOfTwoJobsAreAddedUpAndTheMostOfATaskIsThatOfBoth() throws JsonProcessingException {
    String json =
        """
        [{"counterGroupName": "G", "counter": [
          {"name": "BYTES", "totalCounterValue": %1$d}, {"name": "BYTES_MAX", "totalCounterValue": %1$d}]}]
        """;
    JobCounters both = parse(json.formatted(7)).plus(parse(json.formatted(5)));
    assertEquals(12, both.require("G", "BYTES"));
    assertEquals(7, both.require("G", "BYTES_MAX"));
  }

  @Test
  void stockLeavesNoCountersOfSluice() throws JsonProcessingException {
    assertEquals(new ShufflePath("http", "disk", Map.of()), ShufflePath.of(parse("[]")));
  }

  @Test
  void thePathNamesTheWaysThatCarriedBytesMostFirst() throws JsonProcessingException {
    JobCounters counters =
        parse(
            """
            [{"counterGroupName": "Sluice", "counter": [
              {"name": "READ_BYTES_TCP", "totalCounterValue": 10},
              {"name": "READ_BYTES_LOCAL", "totalCounterValue": 90},
              {"name": "READ_BYTES_VERBS", "totalCounterValue": 40},
              {"name": "READ_BYTES_UCX", "totalCounterValue": 0},
              {"name": "SPILL_BYTES_MEMORY", "totalCounterValue": 100},
              {"name": "FALLBACK_CODEC", "totalCounterValue": 2}]}]
            """);
    assertEquals(
        new ShufflePath("local+verbs+tcp", "memory", Map.of("codec", 2L)),
        ShufflePath.of(counters));
  }
}
