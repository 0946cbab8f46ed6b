package io.sluice.bench.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.bench.model.FittedModel.HeldOut;
import java.util.List;
import org.junit.jupiter.api.Test;

class HeldOutTest {

  @Test
  void everyOtherSizeIsLeftOutAndOfAnEvenNumberTheLargest() {
    assertEquals(
        new HeldOut<>(List.of(1, 3, 5), List.of(2, 4, 6)), HeldOut.of(List.of(1, 2, 3, 4, 5, 6)));
    assertEquals(new HeldOut<>(List.of(1, 3), List.of(2)), HeldOut.of(List.of(1, 2, 3)));
  }

  @Test
  void twoAreTooFew() {
    assertThrows(IllegalArgumentException.class, () -> HeldOut.of(List.of(1, 2)));
  }
}
