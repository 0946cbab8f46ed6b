package io.sluice.bench.hadoop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class SizeTest {
  @Test
  void sizesAreDecimal() {
    assertEquals(256_000_000, Size.parse("256m"));
    assertEquals(1_000_000_000, Size.parse("1GB"));
    assertEquals(700, Size.parse("700"));
  }

  @Test
  void anythingElseIsRefusedWithAnExample() {
    assertThrows(IllegalArgumentException.class, () -> Size.parse("1.5g"));
  }
}
