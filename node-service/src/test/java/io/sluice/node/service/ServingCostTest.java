package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.sluice.node.client.NodeReader;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ServingCostTest extends NodeTestBase {
  private static final int OUTPUT_BYTES = 8 << 20;
  private static final int TIMES = 8;
  private static final long ALLOWED_BYTES = 2 << 20;

  @Test
  void servingCopiesNothingOntoTheHeap() throws IOException {
    start(10);
    TestOutput output = TestOutput.single(new Random(1), "attempt_0", OUTPUT_BYTES);
    commit(output);
    try (NodeReader reader = tcpReader(8)) {
      assertReads(reader, List.of(output)); // connects, and loads classes
      long before = allocatedByService();
      for (int i = 0; i < TIMES; i++) {
        assertReads(reader, List.of(output));
      }
      long allocatedBytes = allocatedByService() - before;
      assertEquals((TIMES + 1L) * OUTPUT_BYTES, reader.stats().bytes("tcp"));
      assertTrue(
          allocatedBytes < ALLOWED_BYTES,
          allocatedBytes + " bytes of heap for serving " + TIMES * OUTPUT_BYTES + " bytes");
    }
  }

  /** Threads that have ended count no more, those of control connections, which serve no data. */
  private static long allocatedByService() {
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    List<Thread> serving =
        LeakCheck.transportThreads().stream()
            .filter(thread -> thread.getName().startsWith("sluice-tcp-serve"))
            .toList();
    assertEquals(1, serving.size(), "serving threads");
    return threads.getThreadAllocatedBytes(serving.get(0).getId());
  }
}
