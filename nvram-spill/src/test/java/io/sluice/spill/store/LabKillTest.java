package io.sluice.spill.store;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In the places that the lab has. */
class LabKillTest extends KillContract {
  @Test
  void whatWasAcknowledgedSurvivesAndNothingElseIsWrong() throws Exception {
    killAt(TestPlace.FS_DAX);
  }

  @ParameterizedTest
  @EnumSource(names = {"HUGE_PAGES", "DEVICE"})
  @Tag("campaign")
  void soItDoesInPlacesThatHoldNoFiles(TestPlace where) throws Exception {
    killAt(where);
  }
}
