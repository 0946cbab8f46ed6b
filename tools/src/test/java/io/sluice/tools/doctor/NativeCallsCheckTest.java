package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class NativeCallsCheckTest {
  @Test
  void theyWorkHere() {
    assertEquals(
        List.of(Finding.ok("native calls", "work")), NativeCallsCheck.ofThisProcess().look());
  }

  @Test
  void whatTheyAreNeededForAndTheOptionIsSaid() {
    Finding finding = new NativeCallsCheck(Optional.of("/tmp is not writable")).look().get(0);
    assertEquals(Finding.Level.PROBLEM, finding.level());
    assertEquals("/tmp is not writable", finding.cause());
    assertTrue(finding.remedy().contains("-Djna.tmpdir=DIR"), finding.remedy());
  }
}
