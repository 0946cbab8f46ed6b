package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Optional;
import org.junit.jupiter.api.Test;

class GivenSeedTest {
  private static final String PROPERTY = "sluice.test.seed";

  @Test
  void isHandedOnWhereItWasGiven() {
    String before = System.clearProperty(PROPERTY);
    try {
      assertEquals(Optional.empty(), TestJvm.seedArgument());
      System.setProperty(PROPERTY, "-42");
      assertEquals(Optional.of("-Dsluice.test.seed=-42"), TestJvm.seedArgument());
    } finally {
      if (before == null) {
        System.clearProperty(PROPERTY);
      } else {
        System.setProperty(PROPERTY, before);
      }
    }
  }
}
