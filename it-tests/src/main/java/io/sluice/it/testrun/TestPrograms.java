package io.sluice.it.testrun;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.TestJvm;
import io.sluice.it.report.TestReports;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Makes the tasks that are programs of the host: Maven with the unit tests of all modules, and
 * JUnit's launcher with one lane of integration tests.
 *
 * @param since when the run began
 * @param all whether campaigns run too
 */
record TestPrograms(Workspace workspace, Instant since, boolean all) {
  /** The tag of tests that only {@code --all} runs. */
  static final String CAMPAIGN = "campaign";

  /** The lines of Maven that are shown: tests, errors and the end. */
  private static final Pattern OF_MAVEN =
      Pattern.compile("\\[(INFO|WARNING|ERROR)\\] (Tests run: .* in .*|.*FAIL.*|BUILD .*)");

  /** A JVM of Maven's whose tests have no report; Maven goes on as after any failed test. */
  private static final Pattern LOST_TESTS =
      Pattern.compile(
          "\\[ERROR\\] .*(There was a timeout|The forked VM terminated|There was an error in the forked).*");

  /** Maven, and two JVMs of 1 GiB each with what their tests map and start. */
  private static final int UNIT_TESTS_MB = 4096;

  /** Of modules whose tests wait much; what runs in these has directories and ports of its own. */
  private static final int UNIT_TEST_FORKS = 2;

  /** A JVM of tests, six daemons of a cluster and three containers, of which each has 350 MiB. */
  private static final int LANE_MB = 3584;

  /** These three only end what hangs: beside other busy processes a run takes twice its time. */
  private static final Duration UNIT_TESTS_DEADLINE = Duration.ofMinutes(65);

  private static final Duration QUICK_DEADLINE = Duration.ofMinutes(30);
  private static final Duration LANE_DEADLINE = Duration.ofMinutes(55);
  private static final Duration CAMPAIGN_DEADLINE = Duration.ofHours(3);
  private static final Duration MODULE_CAMPAIGN_DEADLINE = Duration.ofHours(1);

  /**
   * Unit tests, and what looks into the engines' jars. The modules have been built: nothing may be
   * compiled or packed again beside those who read it. A module's failed test keeps no other module
   * from its tests; the reports tell.
   */
  ProgramTask unitTests() {
    List<String> options = new ArrayList<>();
    if (all) {
      options.add("-Dsluice.excluded.tags=");
      options.add("-Dsluice.unit.jvm="); // the second compiler pays in campaigns
      options.add("-Dsluice.unit.timeout.s=" + MODULE_CAMPAIGN_DEADLINE.toSeconds());
    } else {
      options.add("-Dsluice.unit.forks=" + UNIT_TEST_FORKS);
    }
    options.add("-Dsluice.skip.its=true");
    options.addAll(List.of("failsafe:integration-test", "failsafe:verify"));
    return unitTests(options, all ? CAMPAIGN_DEADLINE : UNIT_TESTS_DEADLINE);
  }

  /** The unit tests that are neither slow nor of campaigns; modules side by side. */
  ProgramTask quickTests() {
    return unitTests(
        List.of("-T" + UNIT_TEST_FORKS, "-Dsluice.excluded.tags=" + CAMPAIGN + "," + SlowTests.TAG),
        QUICK_DEADLINE);
  }

  private ProgramTask unitTests(List<String> options, Duration deadline) {
    List<String> command = new ArrayList<>(List.of("mvn", "-B", "-ntp"));
    command.add("-Dmaven.test.failure.ignore=true");
    command.add("-Dspotless.check.skip=true");
    command.add("-Dmaven.compiler.useIncrementalCompilation=false");
    TestJvm.seedArgument().ifPresent(command::add);
    command.addAll(List.of("test-compile", "surefire:test"));
    command.addAll(options);
    return new ProgramTask(
        "unit",
        UNIT_TESTS_MB,
        new ProcessBuilder(command).directory(workspace.root().toFile()),
        log("unit"),
        deadline,
        line ->
            OF_MAVEN.matcher(line).matches()
                ? Optional.of(line.replaceFirst("^\\[INFO\\] ", ""))
                : Optional.empty(),
        () -> TestReports.read(workspace.root(), "surefire|failsafe", since),
        () -> lostTests(log("unit")));
  }

  private static TestReports lostTests(Path log) {
    try (Stream<String> lines = Files.lines(log)) {
      return lines
          .filter(line -> LOST_TESTS.matcher(line).matches())
          .findFirst()
          .map(line -> TestReports.ofFailure("unit tests of a JVM that did not report", line))
          .orElse(new TestReports(List.of()));
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + log, e);
    }
  }

  /** The integration tests of a lane, in one JVM, so that they share a cluster if they want one. */
  ProgramTask lane(String hostLane, List<String> suites) {
    String lane = hostLane.substring(SuiteTable.HOST_LANES.length());
    Path reports = workspace.root().resolve("it-tests/target/it-reports").resolve(lane);
    Workspace.delete(reports);
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin/java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx1g"));
    command.add("-Dsluice.root=" + workspace.root());
    TestJvm.seedArgument().ifPresent(command::add);
    command.addAll(List.of("-cp", workspace.testClassPath()));
    command.addAll(List.of("org.junit.platform.console.ConsoleLauncher", "execute"));
    command.addAll(List.of("--disable-banner", "--disable-ansi-colors", "--details=testfeed"));
    command.add("--reports-dir=" + reports);
    Map<String, String> classes = integrationTests(workspace);
    suites.forEach(suite -> command.add("--select-class=" + classes.get(suite)));
    if (!all) {
      command.add("--exclude-tag=" + CAMPAIGN);
    }
    return new ProgramTask(
        lane,
        LANE_MB,
        new ProcessBuilder(command).directory(workspace.root().resolve("it-tests").toFile()),
        log(lane),
        all ? CAMPAIGN_DEADLINE : LANE_DEADLINE,
        TestJvm::showTest,
        () -> TestReports.in(reports),
        () ->
            TestReports.read(
                workspace.root(), suites.contains("SparkSuitesIT") ? "suite" : "-", since));
  }

  private Path log(String name) {
    return workspace.root().resolve("it-tests/target/test-run").resolve(name + ".log");
  }

  /**
   * The integration tests that the build has compiled: the whole name of each, by the simple name.
   */
  static Map<String, String> integrationTests(Workspace workspace) {
    Path classes = workspace.root().resolve("it-tests/target/test-classes");
    Map<String, String> found = new TreeMap<>();
    try (Stream<Path> files = Files.walk(classes)) {
      files
          .filter(file -> file.getFileName().toString().endsWith("IT.class"))
          .map(file -> classes.relativize(file).toString().replace(".class", "").replace('/', '.'))
          .forEach(name -> found.put(name.substring(name.lastIndexOf('.') + 1), name));
      return found;
    } catch (IOException e) {
      throw new UncheckedIOException("cannot look for tests in " + classes, e);
    }
  }
}
