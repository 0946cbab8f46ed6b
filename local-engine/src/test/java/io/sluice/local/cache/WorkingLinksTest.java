package io.sluice.local.cache;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.apache.hadoop.mapred.JobID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Jobs that wait for each other's names. */
@SuppressWarnings("try") // links are there, and closed early
@Timeout(300)
final class WorkingLinksTest {
  @TempDir private Path directory;

  private static JobID job(int number) {
    return new JobID("links", number);
  }

  private WorkingLinks take(
      int job, String name, String content, Set<JobID> ancestors, BooleanSupplier isCancelled)
      throws IOException {
    Path target = Files.writeString(directory.resolve("of" + job), content);
    return WorkingLinks.make(directory, Map.of(name, target), job(job), ancestors, isCancelled);
  }

  /** A task of the first waits for a job that waits for the second, and the other way round. */
  @Test
  void jobsWhoseTasksStartJobsDoNotWaitForEachOtherInACircle() throws Exception {
    try (WorkingLinks first = take(1, "a", "1", Set.of(), () -> false);
        WorkingLinks second = take(2, "b", "2", Set.of(), () -> false)) {
      CountDownLatch waits = new CountDownLatch(1);
      CompletableFuture<WorkingLinks> ofFirst = new CompletableFuture<>();
      Thread starter =
          new Thread(
              () -> {
                try {
                  BooleanSupplier asked =
                      () -> {
                        waits.countDown(); // it holds the lock until it waits
                        return false;
                      };
                  ofFirst.complete(take(3, "b", "3", Set.of(job(1)), asked));
                } catch (Throwable e) {
                  ofFirst.completeExceptionally(e);
                }
              });
      starter.start();
      waits.await();
      IOException failure =
          assertThrows(IOException.class, () -> take(4, "a", "4", Set.of(job(2)), () -> true));
      assertTrue(failure.getMessage().contains("wait for each other"), failure.getMessage());
      second.close(); // as the second ends now, so does the wait
      ofFirst.get(120, TimeUnit.SECONDS).close();
      starter.join();
    }
  }

  @Test
  void aJobThatHasWaitedInVainIsInNobodysWay() throws Exception {
    try (WorkingLinks first = take(1, "a", "1", Set.of(), () -> false);
        WorkingLinks second = take(2, "b", "2", Set.of(), () -> false)) {
      assertThrows(IOException.class, () -> take(3, "b", "3", Set.of(job(1)), () -> true));
      IOException cancelled =
          assertThrows(IOException.class, () -> take(4, "a", "4", Set.of(job(2)), () -> true));
      assertTrue(cancelled.getMessage().startsWith("killed"), cancelled.getMessage());
    }
  }
}
