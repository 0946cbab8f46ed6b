package io.sluice.it.cli;

import io.sluice.it.cluster.ClusterException;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.limit.LoopVolume;
import io.sluice.it.limit.ResourceGroups;
import io.sluice.it.report.Console;
import io.sluice.it.spark.SparkDistribution;
import io.sluice.tools.text.TextTable;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code sluice bench all}. */
@Command(name = "all", description = "Runs all benches one after the other, except micro.")
final class AllBenchCommand implements Callable<Integer> {
  private static final int OK = 0;

  @Option(
      names = "--quick",
      description =
          "Run each once on little data: less than 20 minutes instead of most of a day. This shows"
              + " that they run and that outputs agree; its figures mean nothing.")
  private boolean quick;

  private double expectedS; // of the benches that have ended well
  private double tookS; // by the same benches

  @Override
  public Integer call() {
    if (quick) { // beside the results that were measured in full
      Path place = Workspace.find().results().resolve("quick");
      System.setProperty(Workspace.RESULTS, place.toString());
    }
    Console console = Console.standard();
    Map<BenchSuite, String> outcomes = new EnumMap<>(BenchSuite.class);
    List<BenchSuite> suites = new ArrayList<>();
    for (BenchSuite suite : BenchSuite.values()) {
      suite
          .unavailableBecause(quick)
          .ifPresentOrElse(why -> outcomes.put(suite, "left out: " + why), () -> suites.add(suite));
    }
    boolean failed = false;
    for (int i = 0; i < suites.size(); i++) {
      BenchSuite suite = suites.get(i);
      console.say(
          "%n== %d of %d: %s; %s left"
              .formatted(
                  i + 1,
                  suites.size(),
                  suite.title(quick),
                  minutes(leftS(suites.subList(i, suites.size())))));
      long startNs = System.nanoTime();
      int status = run(suite);
      double suiteS = secondsSince(startNs);
      if (status == OK) {
        expectedS += suite.expectedS(quick);
        tookS += suiteS;
      }
      failed |= status != OK;
      outcomes.put(suite, (status == OK ? "" : "FAILED after ") + minutes(suiteS));
    }
    console.say("\n" + table(outcomes).toText());
    console.say("results: " + Workspace.find().results());
    return failed ? 1 : OK;
  }

  private int run(BenchSuite suite) {
    return Sluice.commandLine(new BenchCommand())
        .execute(suite.arguments(quick).toArray(String[]::new));
  }

  /** Seconds that these suites will take, at the pace so far. */
  private double leftS(List<BenchSuite> suites) {
    double leftS = suites.stream().mapToInt(suite -> suite.expectedS(quick)).sum();
    return expectedS == 0 ? leftS : leftS * tookS / expectedS;
  }

  private static double secondsSince(long startNs) {
    return (double) (System.nanoTime() - startNs) / TimeUnit.SECONDS.toNanos(1);
  }

  private static String minutes(double seconds) {
    return "%.1f min".formatted(seconds / TimeUnit.MINUTES.toSeconds(1));
  }

  private TextTable table(Map<BenchSuite, String> outcomes) {
    TextTable table = new TextTable(List.of("suite", "took"));
    outcomes.forEach((suite, outcome) -> table.add(List.of(suite.title(quick), outcome)));
    return table;
  }

  /** The suites in the order in which they run. */
  enum BenchSuite {
    LOCAL(40, "local --size 128m --runs 1", 400, "local"),
    CHAIN(50, "chain --size 32m --runs 1", 500, "chain"),
    EXCHANGE(25, "exchange --size 64m --shapes 8x2,64x8 --runs 1", 2_000, "exchange"),
    CODECS(40, "codecs --maps 200 --records 20k --runs 1", 2_400, "codecs"),
    CROWD(20, "crowd --nodes 100,600 --readers 100,3000 --runs 1", 400, "crowd"),
    STORE_SCALE(20, "store-scale --outputs 100,1000 --leases 10,100 --runs 1", 300, "store-scale"),
    WAITING(20, "waiting --tasks 50 --runs 1", 250, "waiting"),
    SCALING(95, "scaling --size 16m --runs 1", 1_000, "scaling"),
    SPARK(120, "spark --rows 500000 --runs 1 --on-tmpfs", 4_700, "spark", BenchSuite::noSpark),
    /** Quickly, TeraSort is RMR-NVM's. */
    TERASORT(0, "", 1_800, "--size 1g"),
    ENCRYPTED(0, "", 1_800, "--size 1g --encrypted"),
    HONE(65, "hone --workload LDA --runs 1", 3_600, "hone --size MEDIUM", BenchSuite::noSpark),
    SYNTHETIC(30, "synthetic --size 20k --parts CPU --engines SLUICE --runs 1", 6_000, "synthetic"),
    PAGERANK(
        140,
        "pagerank --size 10k --iterations 1 --engines CLUSTER_FILES --runs 1",
        7_200,
        "pagerank --size 4m"),
    RMR_NVM(
        130, "rmr-nvm --size 16m --workload TERASORT --engines NVRAM --runs 1", 22_500, "rmr-nvm"),
    /** Quickly, what maps spill and what jobs take is RMR-NVM's. */
    RMR_SIZES(0, "", 7_200, "rmr-sizes"),
    MEMORY(
        350,
        "memory --size 60m --workload sort --fractions 1.0 --runs 1",
        12_000,
        "memory",
        () -> LoopVolume.unavailableBecause().or(ResourceGroups::unavailableBecause));

    private final int quickS;
    private final List<String> quick;
    private final int fullS;
    private final List<String> full;
    private final Supplier<Optional<String>> unavailable;

    BenchSuite(int quickS, String quick, int fullS, String full) {
      this(quickS, quick, fullS, full, Optional::empty);
    }

    BenchSuite(
        int quickS, String quick, int fullS, String full, Supplier<Optional<String>> unavailable) {
      this.quickS = quickS;
      this.quick = quick.isEmpty() ? List.of() : List.of(quick.split(" "));
      this.fullS = fullS;
      this.full = List.of(full.split(" "));
      this.unavailable = unavailable;
    }

    /** Arguments of {@code sluice bench}; of what does not run quickly, none then. */
    List<String> arguments(boolean isQuick) {
      return isQuick ? quick : full;
    }

    /** The command. */
    String title(boolean isQuick) {
      return "bench " + String.join(" ", isQuick && quick.isEmpty() ? full : arguments(isQuick));
    }

    /** Seconds that it takes on two cores. */
    int expectedS(boolean isQuick) {
      return isQuick ? quickS : fullS;
    }

    /** Why it cannot run here, or not quickly. */
    Optional<String> unavailableBecause(boolean isQuick) {
      return isQuick && quick.isEmpty() ? Optional.of("only without --quick") : unavailable.get();
    }

    private static Optional<String> noSpark() {
      try {
        SparkDistribution.locate(SparkDistribution.DEFAULT_VERSION);
        return Optional.empty();
      } catch (ClusterException e) {
        return Optional.of(e.getMessage());
      }
    }
  }
}
