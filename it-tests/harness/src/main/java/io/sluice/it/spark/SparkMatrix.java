package io.sluice.it.spark;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.report.Console;
import io.sluice.it.spark.MatrixResult.MatrixCell;
import io.sluice.it.spark.jobs.ShuffleArguments;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextPlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ContextReport;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlan;
import io.sluice.it.spark.jobs.ShufflePlanJob.ShufflePlanReport;
import io.sluice.it.spark.jobs.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Runs the basic workloads with the same jar on releases of Spark and JDKs, by stock Spark and
 * through Sluice.
 *
 * <p>Not thread-safe. Failure: what does not work is a cell that says so.
 */
public final class SparkMatrix {
  private static final long ROWS = 20_000;
  private static final int PARTITIONS = 6;
  private static final int SEED = 7;
  private static final Pattern FIRST_ERROR = Pattern.compile("\\S*(?:Exception|Error)\\b[^\\n]*");

  private final Workspace workspace;
  private final Console console;

  /** Runs nothing yet. */
  public SparkMatrix(Workspace workspace, Console console) {
    this.workspace = workspace;
    this.console = console;
  }

  /** Every one of these releases on every one of these JDKs. */
  public MatrixResult run(List<String> releases, List<Jdk> jdks) {
    List<MatrixCell> cells = new ArrayList<>();
    for (String release : releases) {
      SparkDistribution spark = SparkDistribution.locate(release);
      for (Jdk jdk : jdks) {
        MatrixCell cell =
            console.step("Spark " + release + ", JDK " + jdk.version(), () -> cell(spark, jdk));
        console.say("  " + cell);
        cells.add(cell);
      }
    }
    return new MatrixResult(cells);
  }

  /** One release on one JDK. */
  public MatrixCell cell(SparkDistribution spark, Jdk jdk) {
    SparkJob job = SparkJob.plan(workspace, "Spark " + spark.version(), plan());
    try (SparkSubmit submit = new SparkSubmit(spark.on(jdk.home()), workspace.clusters())) {
      ShufflePlanReport stock;
      try {
        stock = submit.run(SparkSubmit.LOCAL, job).report(ShufflePlanReport.class);
      } catch (ClusterException e) {
        return new MatrixCell(spark.version(), jdk.version(), 0, 0, firstError(e), List.of());
      }
      try {
        ContextReport ours =
            submit
                .run(SparkSubmit.LOCAL_CLUSTER, job.throughSluice(workspace, spark.version()))
                .report(ShufflePlanReport.class)
                .contexts()
                .get(0);
        List<String> problems = new ArrayList<>(new PlanOracle(stock).wrongResults(ours));
        problems.addAll(PlanOracle.wrongTraffic(ours, Set.of()));
        return new MatrixCell(
            spark.version(),
            jdk.version(),
            ours.results().size(),
            PlanOracle.served(ours),
            "",
            problems);
      } catch (ClusterException e) {
        return new MatrixCell(spark.version(), jdk.version(), 0, 0, "", List.of(firstError(e)));
      }
    }
  }

  private static ShufflePlan plan() {
    List<ShuffleArguments> shuffles =
        Workload.BASIC.stream()
            .map(workload -> new ShuffleArguments(workload, ROWS, PARTITIONS, SEED))
            .toList();
    return new ShufflePlan(List.of(new ContextPlan("every workload", Map.of(), shuffles)));
  }

  private static String firstError(ClusterException failure) {
    Matcher matcher = FIRST_ERROR.matcher(failure.getMessage());
    return matcher.find() ? matcher.group() : failure.getMessage().lines().findFirst().orElse("");
  }

  /**
   * A JDK of this host.
   *
   * @param version such as 17.0.15
   * @param home where it is
   */
  public record Jdk(String version, Path home) {
    private static final Path USUAL_PLACE = Path.of("/usr/lib/jvm");
    private static final int OLDEST = 17;
    private static final String VERSION_KEY = "JAVA_VERSION=";

    /** 17, say. */
    public int feature() {
      return Runtime.Version.parse(version).feature();
    }

    /** One of each feature release that is new enough: this JVM's, and where Linux has its JDKs. */
    public static Map<Integer, Jdk> ofThisHost() {
      Map<Integer, Jdk> found = new TreeMap<>();
      for (Path home : homes().toList()) {
        of(home)
            .filter(jdk -> jdk.feature() >= OLDEST)
            .ifPresent(jdk -> found.putIfAbsent(jdk.feature(), jdk));
      }
      return found;
    }

    private static Stream<Path> homes() {
      Stream<Path> ours = Stream.of(Path.of(System.getProperty("java.home")));
      if (!Files.isDirectory(USUAL_PLACE)) {
        return ours;
      }
      try (Stream<Path> usual = Files.list(USUAL_PLACE)) {
        return Stream.concat(ours, usual.sorted(Comparator.naturalOrder()).toList().stream());
      } catch (IOException e) {
        throw new UncheckedIOException("cannot list " + USUAL_PLACE, e);
      }
    }

    /** The JDK in a directory; empty if there is none. */
    static Optional<Jdk> of(Path home) {
      Path release = home.resolve("release");
      if (!Files.isReadable(release) || !Files.isExecutable(home.resolve("bin/java"))) {
        return Optional.empty();
      }
      try (Stream<String> lines = Files.lines(release)) {
        return lines
            .filter(line -> line.startsWith(VERSION_KEY))
            .map(line -> line.substring(VERSION_KEY.length()).replace("\"", ""))
            .map(version -> new Jdk(version, home))
            .findFirst();
      } catch (IOException e) {
        throw new UncheckedIOException("cannot read " + release, e);
      }
    }
  }
}
