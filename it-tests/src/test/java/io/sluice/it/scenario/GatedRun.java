package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.Gate;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;

/**
 * A job of Sluice's whose maps all stand at their gates at once, two on each node, before anything
 * is in a pool; its reduce has a gate in its middle.
 *
 * <p>Not thread-safe. Whoever starts it closes it.
 */
final class GatedRun implements AutoCloseable {
  static final int SLOTS = 4;
  private static final Duration DEADLINE = Duration.ofMinutes(10);

  private final PseudoCluster cluster;
  private final Path mapGate;
  private final Path reduceGate;
  private final AtomicInteger reducePercent = new AtomicInteger();
  private final RunningJob job;
  private final List<TaskProcess> maps;

  /** Starts the scenario and returns when all its maps have come to their gates. */
  static GatedRun start(PseudoCluster cluster, Scenario scenario) {
    return new GatedRun(cluster, scenario, spec -> spec);
  }

  /** The same for a user. */
  static GatedRun start(PseudoCluster cluster, Scenario scenario, String user) {
    return new GatedRun(cluster, scenario, spec -> spec.as(user));
  }

  private GatedRun(PseudoCluster cluster, Scenario scenario, UnaryOperator<JobSpec> whose) {
    this.cluster = cluster;
    this.mapGate = cluster.localDirectory(scenario.name() + "-maps");
    this.reduceGate = cluster.localDirectory(scenario.name() + "-reduces");
    Scenario gated =
        scenario
            .with(ScenarioConf.MAPS, SLOTS)
            .with(ScenarioConf.MAP_GATE, mapGate)
            .with(ScenarioConf.REDUCE_GATE, reduceGate);
    this.job =
        RunningJob.start(
            cluster,
            whose.apply(gated.spec(HadoopVariant.SLUICE)),
            (map, reduce) -> reducePercent.set(reduce));
    try {
      this.maps = processesOf(Scenario.awaitReached(job, mapGate, SLOTS));
    } catch (RuntimeException e) {
      job.close();
      throw e;
    }
  }

  /** Its application of YARN's. */
  String applicationId() {
    return job.jobId().replace("job", "application");
  }

  /** The map attempts at the gate. */
  List<TaskProcess> maps() {
    return maps;
  }

  /** Those of one node. */
  List<TaskProcess> mapsOn(int node) {
    return maps.stream().filter(map -> map.node() == node).toList();
  }

  /** Lets these maps commit and waits until they have ended. */
  void finish(List<TaskProcess> finishing) {
    finishing.forEach(map -> Gate.open(mapGate, map.attemptId()));
    Poll.untilTrue(
        "the end of " + finishing,
        DEADLINE,
        () -> cluster.taskProcesses().stream().noneMatch(finishing::contains));
  }

  /** Lets all other maps commit, and attempts that are still to come. */
  void openMapGate() {
    Gate.open(mapGate);
  }

  /** Has the ApplicationMaster withdraw a map attempt that has succeeded. */
  void killSucceeded(TaskProcess map) {
    Process client =
        cluster.startClient(
            "org.apache.hadoop.mapred.JobClient", List.of("-kill-task", map.attemptId()));
    Poll.untilTrue("the end of mapred job -kill-task", DEADLINE, () -> !client.isAlive());
    assertEquals(0, client.exitValue(), "exit status of mapred job -kill-task");
  }

  /** Waits until the reduce has got hold of at least one map output. */
  void awaitFirstCopy() {
    Poll.untilTrue(
        "the reduce's first copied map output",
        DEADLINE,
        () -> {
          job.requireAlive();
          return reducePercent.get() > 0;
        });
  }

  /** Waits until a task of the job has logged a line with this text. */
  void awaitLogged(String text) {
    Poll.untilTrue(
        "a task's line with \"" + text + "\"",
        DEADLINE,
        () -> {
          job.requireAlive();
          return hasLogged(text);
        });
  }

  private boolean hasLogged(String text) throws IOException {
    for (Path container : cluster.containerLogs().ofJob(job.jobId())) {
      Path log = container.resolve("syslog");
      if (Files.exists(log) && Files.readString(log).contains(text)) {
        return true;
      }
    }
    return false;
  }

  /** Waits until so many reduces stand at their gates, all at once. */
  List<TaskProcess> awaitReducesAtGate(int reduces) {
    return processesOf(Scenario.awaitReached(job, reduceGate, reduces));
  }

  /** And of no task that a job before this one has left to end by itself. */
  private List<TaskProcess> processesOf(List<String> attemptIds) {
    return cluster.taskProcesses().stream()
        .filter(task -> attemptIds.contains(task.attemptId()))
        .sorted(Comparator.comparing(TaskProcess::attemptId))
        .toList();
  }

  void openReduceGate() {
    Gate.open(reduceGate);
  }

  /** Waits for the end; the job must succeed. */
  FinishedJob await() {
    JobResult result = job.await().requireSuccess();
    return FinishedJob.of(cluster, result);
  }

  /** Opens the gates too: a test that fails leaves no task waiting, whose room others need. */
  @Override
  public void close() {
    job.close();
    openMapGate();
    openReduceGate();
  }
}
