package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.CostPlot;
import io.sluice.it.report.Machine;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.report.TextTable;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Shuffles by stock {@code spark-submit} on two executors, first as they are and then with the one
 * setting, with equal results and a table of what each cost.
 *
 * <p>Not thread-safe. A failed job or a result that differs is a {@link ClusterException}.
 */
public final class SparkDemo {
  private static final List<Workload> WORKLOADS =
      List.of(Workload.REPARTITION, Workload.SORT_BY_KEY, Workload.GROUP_BY_KEY, Workload.SQL_JOIN);
  private static final List<SparkMeasure> PLOTTED =
      List.of(SparkMeasure.WALL, SparkMeasure.CPU, SparkMeasure.WRITE);
  private static final int PARTITIONS = 16;
  private static final int SEED = 7;

  private final Workspace workspace;
  private final Console console;
  private final SparkDistribution spark;
  private final long rows;

  /** Runs nothing yet. */
  public SparkDemo(Workspace workspace, Console console, SparkDistribution spark, long rows) {
    this.workspace = workspace;
    this.console = console;
    this.spark = spark;
    this.rows = rows;
  }

  /** One workload, as it is and through Sluice. */
  private record Pair(ShuffleReport stock, ShuffleReport sluice) {}

  /** Runs everything and writes the results. */
  public void run(ResultFiles results) {
    Map<Workload, Pair> pairs = new LinkedHashMap<>();
    try (SparkSubmit submit = new SparkSubmit(spark, workspace.clusters())) {
      for (Workload workload : WORKLOADS) {
        pairs.put(workload, pair(submit, workload));
      }
    }
    console.say("all %d pairs of results agree".formatted(pairs.size()));
    console.say("");
    console.say(table(pairs).toText());
    Map<String, Object> all = new LinkedHashMap<>();
    all.put("spark", spark.version());
    all.put("machine", Machine.here());
    all.put("rows", rows);
    all.put("partitions", PARTITIONS);
    all.put("workloads", pairs);
    console.say("results: " + results.json("demo-spark", all));
    String title =
        "Spark %s, %,d rows, two executors with a core each".formatted(spark.version(), rows);
    console.say(
        "plot:    "
            + results.write(
                "demo-spark.png",
                file ->
                    CostPlot.draw(
                        title,
                        "Sluice, in per cent of stock",
                        WORKLOADS.stream().map(Workload::name).toList(),
                        bars(pairs),
                        file)));
  }

  private Pair pair(SparkSubmit submit, Workload workload) {
    SparkJob job =
        SparkJob.shuffle(workspace, new ShuffleArguments(workload, rows, PARTITIONS, SEED));
    ShuffleReport stock = run(submit, workload + ", stock", job);
    ShuffleReport sluice = run(submit, workload + ", Sluice", job.throughSluice(workspace));
    if (!stock.digest().equals(sluice.digest()) || stock.count() != sluice.count()) {
      throw new ClusterException(
          "%s gives %s and, through Sluice, %s".formatted(workload, stock, sluice));
    }
    if (!sluice.executorShuffleManagers().values().stream()
        .allMatch(SparkJob.SLUICE_MANAGER::equals)) {
      throw new ClusterException("%s did not run through Sluice: %s".formatted(workload, sluice));
    }
    sluice.executorStates().forEach((id, state) -> console.say("  executor " + id + ": " + state));
    return new Pair(stock, sluice);
  }

  private ShuffleReport run(SparkSubmit submit, String name, SparkJob job) {
    return console.step(
        name, () -> submit.run(SparkSubmit.LOCAL_CLUSTER, job).report(ShuffleReport.class));
  }

  private static TextTable table(Map<Workload, Pair> pairs) {
    TextTable table = new TextTable(List.of("one run each", "stock", "Sluice", "Sluice / stock"));
    pairs.forEach(
        (workload, pair) -> {
          for (SparkMeasure measure : SparkMeasure.values()) {
            table.add(
                List.of(
                    workload + " " + measure.title(),
                    measure.show(measure.of(pair.stock())),
                    measure.show(measure.of(pair.sluice())),
                    "%.2f".formatted(measure.of(pair.sluice()) / measure.of(pair.stock()))));
          }
        });
    return table;
  }

  /** One series for each measure, one group for each workload. */
  private static Map<String, List<CostPlot.Bar>> bars(Map<Workload, Pair> pairs) {
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (SparkMeasure measure : PLOTTED) {
      bars.put(
          measure.title(),
          pairs.values().stream()
              .map(pair -> 100 * measure.of(pair.sluice()) / measure.of(pair.stock()))
              .map(percent -> new CostPlot.Bar(percent, 0))
              .toList());
    }
    return bars;
  }
}
