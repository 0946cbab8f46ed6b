package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.model.StageFit.StageModel;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

class StageModelTest {

  /** The first core has 5, and 1 from 5 on; the second 3, and 4 from 3 on: 7. */
  @Test
  void aCoreThatIsDoneTakesTheNextTask() {
    assertEquals(10 + 7 + 2, new StageModel(10, 2, 2).timeMs(List.of(5.0, 3.0, 4.0, 1.0)));
  }

  /** Not the mean of the cores, which is 6. */
  @Test
  void theStageIsAsLongAsItsBusiestCore() {
    assertEquals(10, new StageModel(0, 0, 2).timeMs(List.of(1.0, 1.0, 10.0 - 1)));
  }

  @Test
  void equalTasksTakeWholeRounds() {
    assertEquals(3 * 7, new StageModel(0, 0, 4).timeMs(Collections.nCopies(9, 7.0)));
  }

  @Test
  void moreCoresThanTasksAreIdle() {
    assertEquals(7, new StageModel(0, 0, 96).timeMs(List.of(7.0, 3.0)));
  }
}
