package io.sluice.spill.store;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In the places that the lab has. {@code lab plugs} kills the whole guest of a pool on FS-DAX. */
@Tag("campaign")
class LabKillTest extends KillContract {
  @ParameterizedTest
  @EnumSource(names = {"FS_DAX", "HUGE_PAGES", "DEVICE"})
  void whatWasAcknowledgedSurvivesAndNothingElseIsWrong(TestPlace where) throws Exception {
    killAt(where);
  }
}
