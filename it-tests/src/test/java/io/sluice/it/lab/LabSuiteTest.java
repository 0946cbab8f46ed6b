package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;

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
}
