package io.sluice.tools.doctor;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.tools.doctor.Doctor.JavaCheck;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class JavaCheckTest {
  @Test
  void theyWorkHere() {
    assertEquals(Finding.ok("native calls", "work"), JavaCheck.nativeCalls());
  }

  @Test
  void whatTheyAreNeededForAndTheOptionIsSaid() {
    Finding finding = JavaCheck.nativeCalls(Optional.of("/tmp is not writable"));
    assertEquals(Finding.Level.PROBLEM, finding.level());
    assertTrue(finding.what().startsWith("do not work: no RDMA, no pool on"), finding.what());
    assertEquals("/tmp is not writable", finding.cause());
    assertTrue(finding.remedy().contains("-Djna.tmpdir=DIR"), finding.remedy());
  }
}
