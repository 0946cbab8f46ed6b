package io.sluice.spill.store;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In the places that the lab has. */
class LabKillTest extends KillContract {
  @ParameterizedTest
  @EnumSource(names = {"FS_DAX", "HUGE_PAGES", "DEVICE"})
  void whatWasAcknowledgedSurvivesAndNothingElseIsWrong(TestPlace where) throws Exception {
    killAt(where);
  }
}
