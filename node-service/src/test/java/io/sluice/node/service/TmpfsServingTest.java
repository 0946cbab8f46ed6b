package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import org.junit.jupiter.api.Test;

/** tmpfs can be registered, so it is read where it lies, over verbs. */
class TmpfsServingTest extends LabServingTestBase {
  TmpfsServingTest() {
    super("sluice.lab.tmpfs", "tmpfs mount");
  }

  @Test
  void isReadDirectlyOverVerbs() throws IOException {
    assertEquals(0, readOverTheDevice().bouncedReads());
    assertTrue(service.counters().bounce().isEmpty(), "bounce buffers for registered segments");
  }
}
