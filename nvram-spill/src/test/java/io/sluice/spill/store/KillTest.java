package io.sluice.spill.store;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** In the places that every machine has. */
@Tag("slow")
class KillTest extends KillContract {
  @ParameterizedTest
  @EnumSource(names = {"FILES", "FILE_AS_DEVICE"})
  void whatWasAcknowledgedSurvivesAndNothingElseIsWrong(TestPlace where) throws Exception {
    killAt(where);
  }

  @Test
  void whatWasCopiedSurvivesTheMemoryToo() throws Exception {
    killAndLoseMemoryAt(TestPlace.FILES);
  }
}
