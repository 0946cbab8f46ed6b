package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LabSuiteTest {
  @ParameterizedTest
  @EnumSource
  void everyClassThatASuiteNamesExists(LabSuite suite) {
    for (String name : suite.classes()) {
      assertDoesNotThrow(() -> Class.forName(name), name);
    }
  }

  /** Else all of it would pass over verbs. */
  @ParameterizedTest
  @EnumSource
  void theSuiteOfUcxAloneReadsThroughUcx(LabSuite suite) {
    GuestSpec guest = GuestSpec.single("guest", 1, 64, false, Duration.ofMinutes(2));
    assertEquals(
        suite == LabSuite.UCX, suite.script(guest, true).contains("-Dsluice.lab.transport=ucx"));
  }
}
