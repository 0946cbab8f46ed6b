package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the keeper of the memory is told when outputs are freed. */
@Timeout(300)
class FreedMemoryTest extends PoolTestBase {
  private static final int OUTPUTS = 5;
  private static final int OUTPUT_BYTES = 100_000;

  private final List<Long> freedBytes = new ArrayList<>();

  private MemoryArbiter keeper() {
    return (MemoryArbiter)
        Proxy.newProxyInstance(
            MemoryArbiter.class.getClassLoader(),
            new Class<?>[] {MemoryArbiter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("freed")) {
                assertEquals(APP, arguments[0]);
                freedBytes.add((long) arguments[1]);
              }
              return method.invoke(MemoryArbiter.NONE, arguments);
            });
  }

  /** Each time that it is told it looks at all tasks, under the lock of the store. */
  @Test
  void itIsToldOfAllOutputsOfAnApplicationAtOnce() throws IOException {
    Random random = seeded("FreedMemoryTest");
    try (SpillStore store = open(config(2).memoryKeeper(keeper()).build())) {
      long heldBytes = 0;
      for (int number = 0; number < OUTPUTS; number++) {
        try (Lease lease = store.openLease(APP)) {
          commit(lease, id(number), random, OUTPUT_BYTES);
        }
        heldBytes += store.find(id(number)).orElseThrow().location().bytesOf(Tier.MEMORY);
      }
      store.freeApplication(APP);
      assertEquals(heldBytes, freedBytes.stream().mapToLong(Long::longValue).sum());
      assertTrue(freedBytes.size() < OUTPUTS, freedBytes.toString()); // 1 if nobody is let in
    }
  }
}
