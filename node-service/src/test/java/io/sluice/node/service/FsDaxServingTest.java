package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.ReadStats;
import io.sluice.rdma.LabTransport;
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
    long bytes = read.bytes(LabTransport.NAME);
    assertEquals(bytes, read.bouncedBytes());
    assertEquals(bytes, service.counters().bounce().get(LabTransport.NAME).bytes());
  }
}
