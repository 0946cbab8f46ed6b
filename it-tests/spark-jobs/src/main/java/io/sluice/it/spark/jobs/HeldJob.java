package io.sluice.it.spark.jobs;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.it.spark.jobs.ShuffleCosts.TaskCosts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SortedMap;
import java.util.concurrent.TimeUnit;
import org.apache.spark.api.java.JavaSparkContext;
import org.apache.spark.sql.SparkSession;

/**
 * Moves every row, says how that went and where the application's UI is, and then stays so that
 * somebody can look at it: {@code ROWS PARTITIONS SEED DIRECTORY}. It writes {@code ready.json}
 * into the directory, and ends when somebody makes {@code release} there.
 */
public final class HeldJob {
  private static final long PAUSE_MS = 100;
  private static final long DEADLINE_NS = TimeUnit.MINUTES.toNanos(5);

  /**
   * The content of {@code ready.json}.
   *
   * @param uiUrl address of the UI, or empty if it has none
   * @param rows how many have moved
   * @param digest of them, whatever their order
   * @param costs of all tasks so far
   * @param executorStates what the executors' shuffle managers say of themselves
   */
  public record Ready(
      String uiUrl,
      long rows,
      String digest,
      ShuffleCosts costs,
      SortedMap<String, String> executorStates) {}

  private HeldJob() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    ShuffleArguments shuffle =
        new ShuffleArguments(
            Workload.REPARTITION,
            Long.parseLong(arguments[0]),
            Integer.parseInt(arguments[1]),
            Long.parseLong(arguments[2]));
    Path directory = Path.of(arguments[3]);
    try (JavaSparkContext context =
        new JavaSparkContext(SparkSession.builder().getOrCreate().sparkContext())) {
      ExecutorStates.awaitAll(context.sc());
      TaskCosts costs = new TaskCosts();
      context.sc().addSparkListener(costs);
      ResultSummary result = ResultSummary.of(new RddWorkloads(context, shuffle).repartition());
      Ready ready =
          new Ready(
              context.sc().uiWebUrl().getOrElse(() -> ""),
              result.count(),
              result.digest(),
              costs.total(context.sc()),
              ExecutorStates.ask(context));
      Path written = directory.resolve("ready.tmp");
      new ObjectMapper().writeValue(written.toFile(), ready);
      Files.move(written, directory.resolve("ready.json"), StandardCopyOption.ATOMIC_MOVE);
      awaitRelease(directory.resolve("release"));
    }
  }

  private static void awaitRelease(Path release) throws InterruptedException {
    long startNs = System.nanoTime();
    while (!Files.exists(release)) {
      if (System.nanoTime() - startNs > DEADLINE_NS) {
        throw new IllegalStateException("nobody made " + release);
      }
      Thread.sleep(PAUSE_MS);
    }
  }
}
