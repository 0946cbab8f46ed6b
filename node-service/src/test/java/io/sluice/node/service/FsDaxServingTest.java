package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.ReadStats;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** fs-DAX cannot be registered, so all of it goes through bounce buffers, and over verbs. */
class FsDaxServingTest extends LabServingTestBase {
  FsDaxServingTest() {
    super("sluice.lab.fsdax", "fs-DAX mount");
  }

  @Test
  void isReadThroughBounceBuffersOverVerbs() throws IOException {
    ReadStats read = readOverTheDevice();
    assertEquals(read.bytes("ucx"), read.bouncedBytes());
    assertEquals(read.bytes("ucx"), service.counters().bounce().get("ucx").bytes());
  }
}
