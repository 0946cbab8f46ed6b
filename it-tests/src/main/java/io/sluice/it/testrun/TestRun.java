package io.sluice.it.testrun;

import io.sluice.it.cluster.Workspace;
import io.sluice.it.lab.LabResult;
import io.sluice.it.lab.LabTools;
import io.sluice.it.report.Console;
import io.sluice.it.report.Machine;
import io.sluice.it.testrun.TestTask.TaskResult;
import io.sluice.it.testrun.TestTask.TaskResult.SuiteTime;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * All of a test run but the build: unit tests, lanes of integration tests and suites of the lab,
 * side by side. Clusters and emulated machines wait much, for timers, disks and one another; so
 * there is one more at work than there are processors, but in a campaign.
 *
 * <p>Not thread-safe. Failure: in the summary; whatever happens, there is one before the deadline.
 *
 * @param since when the run began, with its build
 * @param commit what git called the commit then
 * @param all whether campaigns run too
 * @param requireLab whether it is a failure that there is no lab
 */
public record TestRun(
    Workspace workspace,
    Console console,
    Instant since,
    String commit,
    boolean all,
    boolean requireLab) {
  /** Of all with the build; well below what any service for continuous integration allows. */
  private static final Duration DEADLINE = Duration.ofMinutes(80);

  private static final Duration CAMPAIGN_DEADLINE = Duration.ofHours(5);

  /** Runs it and says what came of it, with the reason if there is no lab. */
  public TestSummary run() {
    SuiteTable table = SuiteTable.read(contributing(workspace));
    List<TestTask> tasks = new ArrayList<>();
    TestPrograms programs = new TestPrograms(workspace, since, all);
    tasks.add(programs.unitTests());
    Map<TestTask, Integer> sharesS = new LinkedHashMap<>();
    for (String lane : table.lanes(SuiteTable.HOST_LANES, all)) {
      List<String> suites = table.suites(lane, all);
      sharesS.put(programs.lane(lane, suites), table.sharesS(suites));
    }
    Map<String, String> refused = new LinkedHashMap<>();
    LabTools.find(workspace).cause().ifPresent(why -> refused.put(SuiteTable.LAB, why));
    for (LabRun run : refused.isEmpty() ? LabRun.ofTest(all) : List.<LabRun>of()) {
      String suite = LabTask.suiteName(run);
      Optional<String> cause = LabRun.tools(run.suites().get(0), workspace).cause();
      if (cause.isPresent()) {
        refused.put(suite, cause.get());
      } else {
        sharesS.put(new LabTask(run, workspace), table.shareS(suite));
      }
    }
    tasks.addAll(longestFirst(sharesS));
    // A campaign's emulated clusters want a processor each, or their daemons do not come up.
    int workers = Runtime.getRuntime().availableProcessors() + (all ? 0 : 1);
    Duration left = (all ? CAMPAIGN_DEADLINE : DEADLINE).minus(elapsed());
    List<TaskResult> results =
        new ArrayList<>(new TaskRunner(workers, left, Machine::availableMb).run(tasks, console));
    results.addAll(TestSummary.silent(results, table.expected(all, refused.keySet())));
    if (requireLab && refused.containsKey(SuiteTable.LAB)) {
      results.add(TaskResult.broken(SuiteTable.LAB, refused.get(SuiteTable.LAB)));
    }
    if (all) { // its result is kept by the commit's name
      new TestedCommit(workspace.root(), commit)
          .problem()
          .ifPresent(why -> results.add(TaskResult.broken("commit", why)));
    }
    return new TestSummary(commit, results, refused, table, elapsed().toMillis());
  }

  /** Runs the quick unit tests and nothing else. */
  public TestSummary runQuickly() {
    List<TaskResult> results =
        new TaskRunner(1, DEADLINE.minus(elapsed()), Machine::availableMb)
            .run(List.of(new TestPrograms(workspace, since, false).quickTests()), console);
    SuiteTable table = SuiteTable.read(contributing(workspace));
    return new TestSummary(commit, results, Map.of(), table, elapsed().toMillis());
  }

  /** How many classes of unit tests that leaves out. */
  public int slowClasses() {
    return SlowTests.in(workspace.root()).size();
  }

  /** So that nothing long is left when all else is done. */
  static List<TestTask> longestFirst(Map<TestTask, Integer> sharesS) {
    return sharesS.entrySet().stream()
        .sorted(Map.Entry.<TestTask, Integer>comparingByValue().reversed())
        .map(Map.Entry::getKey)
        .toList();
  }

  private Duration elapsed() {
    return Duration.between(since, Instant.now());
  }

  static Path contributing(Workspace workspace) {
    return workspace.root().resolve("CONTRIBUTING.md");
  }

  /**
   * The commit that a run tests: the one that was there before the build.
   *
   * @param root of the checkout
   * @param name as {@link Workspace#commit} gives it
   */
  record TestedCommit(Path root, String name) {
    /** The one that is there now. */
    static TestedCommit now(Path root) {
      return new TestedCommit(root, new Workspace(root).commit());
    }

    /** Why a result must not be called this commit's; empty if it may. */
    Optional<String> problem() {
      String last = now(root).name();
      return last.equals(name)
          ? Optional.empty()
          : Optional.of("%s was to be tested and %s is there at the end".formatted(name, last));
    }
  }

  /**
   * One suite of the lab, in guests of its own. Failure: in its result.
   *
   * @param run of one suite
   */
  record LabTask(LabRun run, Workspace workspace) implements TestTask {
    /** The name of the suite in the table of suites. */
    static String suiteName(LabRun run) {
      return "lab " + run.suites().get(0) + (run.hosts() == 2 ? " --hosts 2" : "");
    }

    /** Not the suite's id alone: lanes of this machine are called so too. */
    @Override
    public String name() {
      return suiteName(run);
    }

    @Override
    public int memoryMb() {
      return run.memoryMb();
    }

    @Override
    public TaskResult run(Console console) {
      LabResult result = run.run(workspace, console).get(0);
      return new TaskResult(
          name(),
          result.reports(),
          result.problem(),
          result.details(),
          List.of(new SuiteTime(suiteName(run), result.wallMs())));
    }
  }
}
