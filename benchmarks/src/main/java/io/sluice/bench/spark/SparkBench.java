package io.sluice.bench.spark;

import static java.util.stream.Collectors.joining;

import io.sluice.bench.Bench;
import io.sluice.bench.Comparison;
import io.sluice.bench.Comparison.Ratio;
import io.sluice.bench.Figure;
import io.sluice.bench.Plot.CostPlot;
import io.sluice.bench.spark.SparkReports.SparkRun;
import io.sluice.it.cluster.ClusterDirectory;
import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.report.ResultFiles;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.it.spark.SparkJob;
import io.sluice.it.spark.SparkNodeService;
import io.sluice.it.spark.SparkSubmit;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShuffleJob.ShuffleReport;
import io.sluice.it.spark.jobs.Workload;
import io.sluice.it.spark.peer.Peer;
import io.sluice.it.spark.peer.PeerInstallations;
import io.sluice.it.spark.peer.PeerServers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Shuffles on two executors in some variants in turn, several rounds: figures, never assertions but
 * for equal results. In each round every variant has executors, and a node service, of its own,
 * which run every workload some times: the first time, the second, and when all is compiled. Every
 * other round goes through the variants backwards, so that none always comes behind the same one.
 *
 * <p>Not thread-safe. A failed job or a result that differs is a {@link ClusterException}.
 *
 * @param workspace has the jars
 * @param console says what runs
 * @param spark the release
 * @param rows of every shuffle
 * @param smallBlocks whether to run a shuffle of a thousand partitions to a thousand, too, as
 *     often, behind the others; with fewer than ten million rows, of fewer to as many
 * @param variants Sluice, stock, and what else there is
 * @param peers where those of them are that are not ours
 */
public record SparkBench(
    Workspace workspace,
    Console console,
    SparkDistribution spark,
    long rows,
    boolean smallBlocks,
    List<SparkVariant> variants,
    Optional<PeerInstallations> peers) {
  private static final List<Workload> WORKLOADS =
      List.of(
          Workload.SQL_REPARTITION, Workload.SQL_SORT, Workload.SQL_JOIN, Workload.GROUP_BY_KEY);
  private static final int PARTITIONS = 16;
  private static final int MANY_PARTITIONS = 1000;
  private static final int FEWEST_MANY_PARTITIONS = 300; // neither writer has a stream for each
  private static final int ROWS_PER_SMALL_ROW = 10;
  private static final int SEED = 7;
  private static final String MASTER = "local-cluster[2,1,2048]";
  private static final String HEAP = "2g";

  /**
   * Left to itself, G1 gives memory back after each marking and takes it again, in steps that come
   * out differently in each run: marking takes up to twice as long in the one variant or the other.
   */
  private static final String WHOLE_HEAP = "-Xms" + HEAP;

  private static final String ABOUT_HEAP =
      "Executors have heaps of %s from the start (%s), in all variants."
          .formatted(HEAP, WHOLE_HEAP);
  private static final Duration DEADLINE = Duration.ofMinutes(60);
  private static final String SERVER_PIDS = "spark.sluicebench.serverPids";
  private static final String ABOUT_PEERS =
      "Objects are serialized by Kryo in all variants, which the peers need; peers' servers keep their data on tmpfs, and their processor time is in that of all processes.";
  private static final Path TMPFS = Path.of("/dev/shm");
  private static final long SERVICE_CAPACITY_MB = 2048;
  private static final Ratio<SparkVariant> TO_TMPFS =
      new Ratio<>(SparkVariant.SLUICE, SparkVariant.TMPFS);
  private static final Ratio<SparkVariant> TO_ENCRYPTED =
      new Ratio<>(SparkVariant.SLUICE_ENCRYPTED, SparkVariant.TMPFS_ENCRYPTED);
  private static final List<Ratio<SparkVariant>> RATIOS =
      List.of(
          new Ratio<>(SparkVariant.SLUICE, SparkVariant.DISK),
          TO_TMPFS,
          new Ratio<>(SparkVariant.SERVICE, SparkVariant.TMPFS),
          TO_ENCRYPTED,
          new Ratio<>(SparkVariant.TMPFS_ENCRYPTED, SparkVariant.TMPFS),
          new Ratio<>(SparkVariant.SLUICE_ENCRYPTED, SparkVariant.SLUICE),
          new Ratio<>(SparkVariant.SLUICE, SparkVariant.CELEBORN),
          new Ratio<>(SparkVariant.SLUICE, SparkVariant.UNIFFLE),
          new Ratio<>(SparkVariant.CELEBORN, SparkVariant.TMPFS),
          new Ratio<>(SparkVariant.UNIFFLE, SparkVariant.TMPFS));

  /** Spark's ciphers are those that it has if nothing else is set. */
  private static final Map<String, String> ENCRYPTION =
      Map.of(
          "spark.authenticate", "true",
          "spark.authenticate.secret", "a secret of a benchmark",
          "spark.network.crypto.enabled", "true");

  /** Runs all rounds and writes the results, under a name. */
  public void run(int rounds, ResultFiles results, String name) {
    Comparison<SparkVariant, SparkReports> comparison = new Comparison<>(RATIOS);
    Bench bench =
        Bench.of(name, "Spark %s, %,d rows, two executors with a core each", spark.version(), rows)
            .data("partitions", PARTITIONS)
            .rounds(comparison)
            .table("", () -> comparison.table(figures(anyReports(comparison))))
            .notes(notes())
            .plot("", title -> plot(title, comparison));
    if (peers.isPresent()) {
      bench.plot("-warm", title -> besidePeers(title, comparison));
    }
    try (SparkSubmit onDisk = new SparkSubmit(spark, workspace.clusters());
        SparkSubmit inMemory = new SparkSubmit(spark, TMPFS)) {
      bench.run(rounds, comparison, round -> round(onDisk, inMemory, round), console, results);
    }
    console.say("all results agree");
  }

  private static SparkReports anyReports(Comparison<SparkVariant, SparkReports> comparison) {
    return comparison.rounds().get(0).get(SparkVariant.SLUICE);
  }

  private Map<SparkVariant, SparkReports> round(
      SparkSubmit onDisk, SparkSubmit inMemory, int round) {
    Map<SparkVariant, SparkReports> reports =
        Bench.inTurn(
            inTurn(round),
            variant ->
                console.step(
                    "Round %d, %s".formatted(round, variant.title()),
                    () -> run(variant.isOnTmpfs() ? inMemory : onDisk, variant)));
    checkEqual(reports);
    sayStates(reports.get(SparkVariant.SLUICE));
    return reports;
  }

  private List<SparkVariant> inTurn(int round) {
    List<SparkVariant> order = new ArrayList<>(variants);
    if (round % 2 == 0) {
      Collections.reverse(order);
    }
    return order;
  }

  private SparkReports run(SparkSubmit submit, SparkVariant variant) {
    if (variant == SparkVariant.SERVICE) {
      return inMemory(directory -> withService(submit, directory));
    }
    if (variant.peer().isPresent()) {
      return inMemory(directory -> withPeer(submit, variant.peer().get(), directory));
    }
    SparkJob job = variant.isEncrypted() ? job().with(ENCRYPTION) : job();
    return run(submit, variant.isSluice() ? job.throughSluice(workspace) : job);
  }

  private static SparkReports inMemory(Function<Path, SparkReports> run) {
    ClusterDirectory.removeLeftovers(TMPFS);
    ClusterDirectory directory = ClusterDirectory.create(TMPFS);
    try {
      return run.apply(directory.path());
    } finally {
      directory.delete();
    }
  }

  private SparkReports withService(SparkSubmit submit, Path directory) {
    try (SparkNodeService service =
        SparkNodeService.start(workspace, directory, SERVICE_CAPACITY_MB)) {
      return run(
          submit,
          job()
              .throughSluice(workspace)
              .with("spark.sluice.service", service.directory())
              .with(SERVER_PIDS, service.pid()));
    }
  }

  private SparkReports withPeer(SparkSubmit submit, Peer peer, Path directory) {
    try (PeerServers servers = peers.orElseThrow().start(peer, directory)) {
      String pids = servers.pids().stream().map(String::valueOf).collect(joining(","));
      return run(submit, servers.through(job()).with(SERVER_PIDS, pids));
    }
  }

  private static SparkReports run(SparkSubmit submit, SparkJob job) {
    return SparkReports.of(submit.run(MASTER, job).reports(ShuffleReport.class));
  }

  private SparkJob job() {
    List<ShuffleArguments> shuffles =
        repeated(
            WORKLOADS.stream()
                .map(workload -> new ShuffleArguments(workload, rows, PARTITIONS, SEED))
                .toList());
    if (smallBlocks) {
      shuffles.addAll(
          repeated(
              List.of(
                  new ShuffleArguments(
                      Workload.SQL_SMALL_BLOCKS, smallRows(), manyPartitions(smallRows()), SEED))));
    }
    SparkJob job =
        SparkJob.shuffles(workspace, shuffles)
            .with("spark.executor.memory", HEAP)
            .with("spark.executor.extraJavaOptions", WHOLE_HEAP)
            .withDeadline(DEADLINE);
    return peers.isPresent() ? job.with(SparkJob.KRYO) : job;
  }

  /** One after the other, until they are warm. */
  private static List<ShuffleArguments> repeated(List<ShuffleArguments> once) {
    List<ShuffleArguments> all = new ArrayList<>();
    for (int repetition = 0; repetition <= SparkRun.WARM.repetition(); repetition++) {
      all.addAll(once);
    }
    return all;
  }

  private long smallRows() {
    return rows / ROWS_PER_SMALL_ROW;
  }

  /** As many as leave a row for each block, up to a thousand. */
  private static int manyPartitions(long rows) {
    long square = Math.round(Math.sqrt(rows));
    return (int) Math.min(MANY_PARTITIONS, Math.max(FEWEST_MANY_PARTITIONS, square));
  }

  private void checkEqual(Map<SparkVariant, SparkReports> reports) {
    SparkReports first = reports.get(variants.get(0));
    reports.forEach(
        (variant, ofVariant) ->
            ofVariant
                .byRun()
                .forEach(
                    (run, byWorkload) ->
                        byWorkload.forEach(
                            (workload, report) ->
                                check(variant, report, first.get(run, workload)))));
  }

  private static void check(SparkVariant variant, ShuffleReport report, ShuffleReport stock) {
    if (!stock.digest().equals(report.digest()) || stock.count() != report.count()) {
      throw new ClusterException(
          "%s gives %s and, with %s, %s"
              .formatted(report.workload(), stock, variant.title(), report));
    }
    if (variant.manager().isPresent()
        && !report.executorShuffleManagers().values().stream()
            .allMatch(variant.manager().get()::equals)) {
      throw new ClusterException(
          "%s did not run through %s: %s".formatted(report.workload(), variant.title(), report));
    }
  }

  private void sayStates(SparkReports reports) {
    ShuffleReport last = reports.get(SparkRun.WARM, WORKLOADS.get(WORKLOADS.size() - 1));
    last.executorStates().forEach((id, state) -> console.say("  executor " + id + ": " + state));
  }

  private String[] notes() {
    List<String> notes = new ArrayList<>(List.of(ABOUT_HEAP));
    if (peers.isPresent()) {
      notes.add(ABOUT_PEERS);
    }
    if (smallBlocks) {
      notes.add(
          "%s: %,d rows between %d partitions and as many. It runs behind all others, in the same executors: the first of its runs is not their first."
              .formatted(Workload.SQL_SMALL_BLOCKS, smallRows(), manyPartitions(smallRows())));
    }
    return notes.toArray(String[]::new);
  }

  /** One series for each variant, one bar for each workload. */
  private CostPlot besidePeers(String title, Comparison<SparkVariant, SparkReports> comparison) {
    List<SparkVariant> shown = new ArrayList<>(variants);
    shown.remove(SparkVariant.TMPFS);
    return comparison.against(
        SparkVariant.TMPFS,
        shown,
        title,
        "warm, wall, in per cent of " + SparkVariant.TMPFS.title(),
        anyReports(comparison).workloads(SparkRun.WARM).stream()
            .map(
                each -> SparkReports.of(SparkReports.WALL, SparkRun.WARM, each).titled(each.name()))
            .toList());
  }

  /** A figure for each run, workload and cost. */
  private static List<Figure<SparkReports>> figures(SparkReports reports) {
    List<Figure<SparkReports>> figures = new ArrayList<>();
    for (SparkRun run : SparkRun.values()) {
      for (Workload workload : reports.workloads(run)) {
        for (Figure<ShuffleReport> figure : SparkReports.FIGURES) {
          figures.add(SparkReports.of(figure, run, workload));
        }
      }
    }
    return figures;
  }

  /** One series for each run and figure, one bar for each workload but small blocks. */
  private CostPlot plot(String title, Comparison<SparkVariant, SparkReports> comparison) {
    Ratio<SparkVariant> ratio = variants.contains(TO_ENCRYPTED.of()) ? TO_ENCRYPTED : TO_TMPFS;
    Map<String, List<CostPlot.Bar>> bars = new LinkedHashMap<>();
    for (Figure<ShuffleReport> figure : List.of(SparkReports.WALL, SparkReports.PROCESS_CPU)) {
      for (SparkRun run : SparkRun.values()) {
        bars.put(
            run.title() + ", " + figure.title(),
            WORKLOADS.stream()
                .map(workload -> comparison.bar(SparkReports.of(figure, run, workload), ratio))
                .toList());
      }
    }
    return new CostPlot(
        title,
        ratio.of().title() + ", in per cent of " + ratio.base().title(),
        WORKLOADS.stream().map(Workload::name).toList(),
        bars);
  }
}
