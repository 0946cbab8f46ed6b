package io.sluice.it.lab.plugs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.lab.plugs.Boot.BootPlan;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BootPlanTest {
  private static List<Boot> boots(int count, long seed) {
    BootPlan plan = new BootPlan(seed);
    List<Boot> boots = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      boots.add(plan.next());
    }
    return boots;
  }

  private static Set<Step> steps(List<Boot> boots) {
    Set<Step> steps = EnumSet.noneOf(Step.class);
    boots.stream().map(Boot::step).flatMap(Optional::stream).forEach(steps::add);
    return steps;
  }

  @Test
  void tenKillsAreAtEveryStepOfACommitAndElsewhere() {
    for (long seed = 0; seed < 50; seed++) {
      List<Boot> boots = boots(10, seed);
      assertTrue(steps(boots).containsAll(Step.ofCommit()), "seed " + seed);
      assertEquals(2, boots.stream().filter(boot -> boot.step().isEmpty()).count());
    }
  }

  @Test
  void manyKillsAreAtEveryStep() {
    for (long seed = 0; seed < 50; seed++) {
      List<Boot> boots = boots(22, seed);
      assertEquals(EnumSet.allOf(Step.class), steps(boots), "seed " + seed);
    }
  }

  @Test
  void eachBootFindsThePoolOfTheOneBefore() {
    int segments = 0;
    for (Boot boot : boots(100, 5)) {
      assertEquals(segments, boot.formerSegments());
      assertTrue(boot.fresh() || boot.segments() > boot.formerSegments());
      assertFalse(boot.fresh() && boot.step().equals(Optional.of(Step.RECOVERING)));
      segments = boot.segments();
    }
  }

  @Test
  void theSameSeedPlansTheSame() {
    assertEquals(boots(40, 9), boots(40, 9));
  }

  @Test
  void argumentsSayTheSame() {
    for (Boot boot : boots(20, 2)) {
      assertEquals(boot, Boot.of(boot.toArguments()));
    }
  }
}
