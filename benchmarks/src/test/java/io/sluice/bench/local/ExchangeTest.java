package io.sluice.bench.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.bench.Comparison;
import io.sluice.bench.Figure;
import io.sluice.bench.local.ChainBench.ChainJobs.JobTime;
import io.sluice.bench.local.ExchangeBench.ExchangeShape;
import io.sluice.bench.local.ExchangeBench.Mode;
import io.sluice.it.cluster.ClusterException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExchangeTest {
  @Test
  void aShapeIsWrittenAsItIsRead() {
    ExchangeShape shape = ExchangeShape.parse("512x16");
    assertEquals(new ExchangeShape(512, 16), shape);
    assertEquals(8_192, shape.runs());
    assertEquals("512x16", shape.toString());
  }

  @Test
  void anythingElseIsRefusedWithAnExample() {
    for (String text : List.of("8", "8x", "0x2", "8x0", "8×2", "8x2x1", "99999999x1")) {
      IllegalArgumentException e =
          assertThrows(IllegalArgumentException.class, () -> ExchangeShape.parse(text));
      assertEquals(
          "a shape is a number of maps and one of reduces, such as 64x8; found \"" + text + "\"",
          e.getMessage());
    }
  }

  private static List<JobTime> jobs(int rounds) {
    List<JobTime> jobs = new ArrayList<>();
    for (int round = 0; round <= rounds; round++) {
      for (Mode mode : Mode.values()) {
        long wallMs = round == 0 ? 9_000 : 100 * (mode.ordinal() + 1);
        jobs.add(new JobTime(round + " " + mode.title(), wallMs, 1, "1 1"));
      }
    }
    return jobs;
  }

  @Test
  void theFirstRoundIsNotCounted() {
    Comparison<Mode, JobTime> comparison = ExchangeBench.rounds(jobs(2));
    Figure<JobTime> wall = new Figure<>("", JobTime::wallMs, ms -> "");
    assertEquals(2, comparison.rounds().size());
    assertEquals(400, comparison.values(wall, Mode.AUTO).max());
    assertEquals(2, comparison.ratios(wall, ExchangeBench.RATIOS.get(0)).median());
  }

  @Test
  void jobsOfAnotherModeAreAnError() {
    List<JobTime> jobs = jobs(1);
    jobs.remove(0);
    jobs.add(jobs.get(0));
    assertThrows(ClusterException.class, () -> ExchangeBench.rounds(jobs));
  }
}
