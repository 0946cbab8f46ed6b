package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Tasks in the process of the store are killed as Spark does it: by an interrupt, which stays set
 * while they clean up. It comes at a step of the writer or reader, or from another thread between
 * any two instructions. Tasks that are not killed notice nothing, and nothing is lost.
 */
@Tag("slow")
class InterruptedTaskTest extends PoolTestBase {
  private static final int THREADS = 3;
  private static final int ATTEMPTS = 500;
  private static final int LONGEST_STEPS = 80;

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4})
  void onlyKilledTasksNotice(int memorySegments) throws Exception {
    Random seeds = seeded("onlyKilledTasksNotice");
    ExecutorService executor = Executors.newFixedThreadPool(THREADS);
    int openBefore;
    try (SpillStore store = SpillStore.open(configWithDisk(memorySegments).build())) {
      assertAllFree(store); // which waits until every segment is there
      openBefore = OpenFiles.below(directory);
      List<Task> tasks = new ArrayList<>();
      List<Future<?>> ends = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        tasks.add(new Task(store, "application_" + i, new Random(seeds.nextLong())));
        ends.add(executor.submit(tasks.get(i)::run, null));
      }
      int killed = 0;
      for (int i = 0; i < THREADS; i++) {
        get(ends.get(i));
        killed += tasks.get(i).killed;
      }
      assertTrue(killed > THREADS * ATTEMPTS / 5, "killed " + killed);
      assertAllFree(store);
      assertEquals(openBefore, OpenFiles.below(directory), "open files");
    } finally {
      executor.shutdownNow();
      assertTrue(executor.awaitTermination(60, TimeUnit.SECONDS));
    }
    assertEquals(0, OpenFiles.below(directory), "open files after the store was closed");
  }

  private static void get(Future<?> end) throws Exception {
    try {
      end.get(120, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(e.getCause());
    }
  }

  /** Writes, reads and frees, one output after the other; some attempts are killed. */
  private final class Task {
    private final SpillStore store;
    private final String application;
    private final Random random;
    private int stepsToLive;
    private int killed;

    Task(SpillStore store, String application, Random random) {
      this.store = store;
      this.application = application;
      this.random = random;
    }

    void run() {
      for (int i = 0; i < ATTEMPTS; i++) {
        OutputId id = new OutputId(application, "attempt_" + i);
        boolean doomed = random.nextInt(3) > 0;
        stepsToLive = doomed ? random.nextInt(LONGEST_STEPS) : Integer.MAX_VALUE;
        Killer killer = doomed && random.nextInt(4) == 0 ? new Killer(random.nextInt(2_000)) : null;
        Outputs.Content content =
            Outputs.random(random, 1 + random.nextInt(5), random.nextInt(200_000));
        try {
          attempt(id, content);
          assertTrue(store.find(id).isPresent());
        } catch (IOException | RuntimeException e) {
          if (!Thread.currentThread().isInterrupted()) {
            throw new AssertionError("not killed, and yet it failed", e);
          }
          killed++;
        }
        if (killer != null) {
          killer.end();
        }
        if (random.nextBoolean()) {
          Thread.interrupted(); // else the application is freed with the flag set
        }
        free();
        Thread.interrupted();
      }
    }

    private void step() {
      if (--stepsToLive == 0) {
        Thread.currentThread().interrupt();
      }
    }

    private void attempt(OutputId id, Outputs.Content content) throws IOException {
      step();
      Lease lease = store.openLease(application);
      OutputWriter writer = writer(lease, content.partitionCount());
      try {
        step();
        lease.leaseContiguous(1 + random.nextInt(100_000));
        Outputs.write(writer, content, random, this::step);
        step();
        writer.commit(id);
      } finally {
        cleanUp(writer, lease);
      }
      step();
      Outputs.check(store, id, content);
    }

    /** What a killed task gives back must be given back. */
    private void cleanUp(OutputWriter writer, Lease lease) {
      try {
        writer.close();
        lease.close();
      } catch (IOException | RuntimeException e) {
        throw new AssertionError("cleaning up failed", e);
      }
    }

    private void free() {
      try {
        store.freeApplication(application);
      } catch (IOException | RuntimeException e) {
        throw new AssertionError("freeing failed", e);
      }
    }
  }

  /** Interrupts the thread that makes it, some time later, once at most. */
  private static final class Killer {
    private final Thread thread;

    Killer(int delayUs) {
      Thread victim = Thread.currentThread();
      long atNs = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(delayUs);
      thread =
          new Thread(
              () -> {
                while (System.nanoTime() < atNs) {
                  Thread.onSpinWait();
                }
                victim.interrupt();
              });
      thread.start();
    }

    /** Returns when it has done it. */
    void end() {
      boolean interrupted = Thread.interrupted();
      while (thread.isAlive()) {
        try {
          thread.join();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
