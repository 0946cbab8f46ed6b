package io.sluice.it.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.it.local.MeasuredMain.CollectorThreads;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
class CollectorThreadsTest {
  private static String stat(String name) {
    return "7 (" + name + ") S 1 7 7 0 -1 4194368 90 0 0 0 12 30 5 6 20 0 9 0 100 200 300";
  }

  @Test
  void onlyTheCollectorsThreadsCountWithUserAndSystemTime() {
    assertEquals(420, CollectorThreads.cpuMs(stat("GC Thread#0")));
    assertEquals(420, CollectorThreads.cpuMs(stat("G1 Conc#0")));
    assertEquals(420, CollectorThreads.cpuMs(stat("VM Thread")));
    assertEquals(0, CollectorThreads.cpuMs(stat("C2 CompilerThre")));
    assertEquals(0, CollectorThreads.cpuMs(stat("sluice-map (G1 ")));
  }

  @Test
  void theProcessHasSome() throws IOException {
    for (int i = 0; i < 50; i++) {
      System.gc();
    }
    assertTrue(CollectorThreads.cpuMs() > 0);
  }

  @Test
  void aThreadThatEndsWhileItIsReadIsNobodys() throws Exception {
    AtomicBoolean stop = new AtomicBoolean();
    Thread starter =
        new Thread(
            () -> {
              while (!stop.get()) {
                new Thread(() -> {}).start();
              }
            });
    starter.start();
    try {
      for (int i = 0; i < 3_000; i++) {
        CollectorThreads.cpuMs();
      }
    } finally {
      stop.set(true);
      starter.join();
    }
  }
}
