package io.sluice.it.foreign;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.foreign.ForeignOutput.CounterDifference;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CounterDifferenceTest {
  private static final CounterDifference.Cause CAUSE =
      new CounterDifference.Cause("Group: Bytes", 10, "for a reason");

  private static CounterDifference of(String name, Long stock, Long sluice) {
    return new CounterDifference(1, name, Optional.ofNullable(stock), Optional.ofNullable(sluice));
  }

  @Test
  void aCauseExplainsAsMuchAsItSaysOfItsCounter() {
    assertTrue(CAUSE.explains(of("Group: Bytes", 100L, 110L)));
    assertFalse(CAUSE.explains(of("Group: Bytes", 100L, 111L)));
    assertFalse(CAUSE.explains(of("Group: Records", 100L, 110L)));
  }

  @Test
  void aCauseExplainsNothingThatIsMissing() {
    assertFalse(CAUSE.explains(of("Group: Bytes", 100L, 99L)));
    assertFalse(CAUSE.explains(of("Group: Bytes", null, 5L)));
    assertFalse(CAUSE.explains(of("Group: Bytes", 5L, null)));
  }
}
