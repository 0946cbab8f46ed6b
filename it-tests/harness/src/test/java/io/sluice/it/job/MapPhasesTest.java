package io.sluice.it.job;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class MapPhasesTest {
  @Test
  void backgroundSpillsCountAsSpillAndCollectEndsAtTheFlush() {
    MapPhases phases =
        MapPhases.ofSyslog(
            List.of(
                "2026-11-21 10:00:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: x",
                "2026-11-21 10:00:02,000 INFO [main] org.apache.hadoop.mapred.MapTask: Spilling map output",
                "2026-11-21 10:00:03,500 INFO [SpillThread] org.apache.hadoop.mapred.MapTask: Finished spill 0",
                "2026-11-21 10:00:04,000 INFO [main] org.apache.hadoop.mapred.MapTask: Starting flush of map output",
                "2026-11-21 10:00:04,000 INFO [main] org.apache.hadoop.mapred.MapTask: Spilling map output",
                "2026-11-21 10:00:05,250 INFO [main] org.apache.hadoop.mapred.MapTask: Finished spill 1",
                "no timestamp on this line",
                "2026-11-21 10:00:07,250 INFO [main] org.apache.hadoop.mapred.Task: Task:attempt_1_0001_m_000000_0 is done. And is in the process of committing"));
    assertEquals(new MapPhases(4_000, 2_750, 2_000), phases);
  }

  @Test
  void collectOfSluiceIsWhatItsSpillsAndMergesLeave() {
    MapPhases phases =
        MapPhases.ofSyslog(
            List.of(
                "2026-11-21 10:00:00,000 INFO [main] org.apache.hadoop.mapred.MapTask: Processing split: x",
                "2026-11-21 10:00:07,000 INFO [main] org.apache.hadoop.mapred.Task: Task:attempt_1_0001_m_000000_0 is done. And is in the process of committing"));
    assertEquals(new MapPhases(4_000, 2_500, 500), phases.plusSluice(2_500, 500));
  }

  @Test
  void aLogWithoutTheLinesHasNoPhases() {
    assertEquals(MapPhases.NONE, MapPhases.ofSyslog(List.of("something else")));
  }
}
