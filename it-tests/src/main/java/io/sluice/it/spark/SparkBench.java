package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.CostPlot;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shuffles on two executors in all variants in turn, several rounds: figures, never assertions but
 * for equal results. In each round every variant has executors of its own, which run every workload
 * a few times to warm up and once to be measured: after a single run, the compiler still takes more
 * of the processor than the shuffle.
 *
 * <p>Not thread-safe. A failed job or a result that differs is a {@link ClusterException}.
 */
public final class SparkBench {
  private static final List<Workload> WORKLOADS =
      List.of(
          Workload.SQL_REPARTITION, Workload.SQL_SORT, Workload.SQL_JOIN, Workload.GROUP_BY_KEY);
  private static final int WARM_UPS = 3;
  private static final int PARTITIONS = 16;
  private static final int SEED = 7;
  private static final String MASTER = "local-cluster[2,1,2048]";
  private static final Duration DEADLINE = Duration.ofMinutes(60);
  private static final Path TMPFS = Path.of("/dev/shm");

  private final Workspace workspace;
  private final Console console;
  private final SparkDistribution spark;
  private final long rows;

  /** Runs nothing yet. */
  public SparkBench(Workspace workspace, Console console, SparkDistribution spark, long rows) {
    this.workspace = workspace;
    this.console = console;
    this.spark = spark;
    this.rows = rows;
  }

  /** Runs all rounds and writes the results, under a name. */
  public void run(int rounds, ResultFiles results, String name) {
    List<Map<SparkVariant, Map<Workload, ShuffleReport>>> all = new ArrayList<>();
    try (SparkSubmit onDisk = new SparkSubmit(spark, workspace.clusters());
        SparkSubmit inMemory = new SparkSubmit(spark, TMPFS)) {
      for (int round = 1; round <= rounds; round++) {
        Map<SparkVariant, Map<Workload, ShuffleReport>> reports = new EnumMap<>(SparkVariant.class);
        for (SparkVariant variant : SparkVariant.values()) {
          SparkSubmit submit = variant == SparkVariant.TMPFS ? inMemory : onDisk;
          reports.put(
              variant,
              console.step(
                  "Round %d, %s".formatted(round, variant.title()), () -> run(submit, variant)));
        }
        checkEqual(reports);
        all.add(reports);
        sayStates(reports.get(SparkVariant.SLUICE));
      }
    }
    console.say("all results agree");
    write(new SparkComparison(all), results, name);
  }

  private Map<Workload, ShuffleReport> run(SparkSubmit submit, SparkVariant variant) {
    List<ShuffleArguments> shuffles = new ArrayList<>();
    for (int repetition = 0; repetition <= WARM_UPS; repetition++) {
      for (Workload workload : WORKLOADS) {
        shuffles.add(new ShuffleArguments(workload, rows, PARTITIONS, SEED));
      }
    }
    SparkJob stock =
        SparkJob.shuffles(workspace, shuffles)
            .with("spark.executor.memory", "2g")
            .withDeadline(DEADLINE);
    SparkJob job = variant == SparkVariant.SLUICE ? stock.throughSluice(workspace) : stock;
    Map<Workload, ShuffleReport> last = new LinkedHashMap<>();
    for (ShuffleReport report : submit.run(MASTER, job).reports(ShuffleReport.class)) {
      last.put(report.workload(), report);
    }
    return last;
  }

  private static void checkEqual(Map<SparkVariant, Map<Workload, ShuffleReport>> reports) {
    for (Workload workload : WORKLOADS) {
      ShuffleReport stock = reports.get(SparkVariant.DISK).get(workload);
      ShuffleReport sluice = reports.get(SparkVariant.SLUICE).get(workload);
      if (!stock.digest().equals(sluice.digest()) || stock.count() != sluice.count()) {
        throw new ClusterException(
            "%s gives %s and, through Sluice, %s".formatted(workload, stock, sluice));
      }
      if (!sluice.executorShuffleManagers().values().stream()
          .allMatch(SparkJob.SLUICE_MANAGER::equals)) {
        throw new ClusterException("%s did not run through Sluice: %s".formatted(workload, sluice));
      }
    }
  }

  private void sayStates(Map<Workload, ShuffleReport> reports) {
    ShuffleReport last = reports.get(WORKLOADS.get(WORKLOADS.size() - 1));
    last.executorStates().forEach((id, state) -> console.say("  executor " + id + ": " + state));
  }

  private void write(SparkComparison comparison, ResultFiles results, String name) {
    String title =
        "Spark %s, %,d rows, rounds: %d, two executors with a core each"
            .formatted(spark.version(), rows, comparison.rounds().size());
    Machine machine = Machine.here();
    console.say("");
    console.say(title + "\n" + machine + "\n");
    console.say(comparison.table().toText());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("title", title);
    all.put("machine", machine);
    all.put("partitions", PARTITIONS);
    all.put("rounds", comparison.rounds());
    console.say("results: " + results.json(name, all));
    console.say(
        "table:   "
            + results.text(
                name + ".md", title + " on " + machine + "\n\n" + comparison.table().toMarkdown()));
    console.say(
        "plot:    "
            + results.write(
                name + ".png",
                file ->
                    CostPlot.draw(
                        title,
                        "Sluice, in per cent of stock on disk",
                        comparison.categories(),
                        comparison.bars(),
                        file)));
  }
}
