package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Blocks leased twice, or lost, show as wrong bytes or as space that does not come back. */
class ConcurrencyTest extends PoolTestBase {
  private static final int THREADS = 6;
  private static final int OUTPUTS = 15;

  @Test
  void manyTasksShareAStore() throws Exception {
    Random seeds = seeded("manyTasksShareAStore");
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    try (SpillStore store = SpillStore.open(configWithDisk(4).build())) {
      List<Future<Void>> tasks = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        String application = "application_" + thread;
        Random random = new Random(seeds.nextLong());
        tasks.add(executor.submit(task(store, application, random)));
      }
      for (Future<Void> task : tasks) {
        task.get(120, TimeUnit.SECONDS);
      }
      assertAllFree(store);
    } finally {
      executor.shutdownNow();
    }
  }

  private Callable<Void> task(SpillStore store, String application, Random random) {
    return () -> {
      List<Outputs.Content> contents = new ArrayList<>();
      for (int i = 0; i < OUTPUTS; i++) {
        OutputId id = new OutputId(application, "attempt_" + i);
        try (Lease lease = store.openLease(application)) {
          lease.lease(1 + random.nextInt(300_000));
          contents.add(commit(lease, id, random, 1 + random.nextInt(300_000)));
        }
        if (random.nextInt(4) == 0) {
          checkAndFree(store, application, contents, i);
        }
      }
      checkAndFree(store, application, contents, OUTPUTS - 1);
      return null;
    };
  }

  private static void checkAndFree(
      SpillStore store, String application, List<Outputs.Content> contents, int last)
      throws Exception {
    for (int i = 0; i < contents.size(); i++) {
      int number = last - contents.size() + 1 + i;
      Outputs.check(store, new OutputId(application, "attempt_" + number), contents.get(i));
    }
    store.freeApplication(application);
    contents.clear();
  }
}
