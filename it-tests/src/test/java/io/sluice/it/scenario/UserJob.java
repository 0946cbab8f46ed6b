package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ProcessTable.ProcessRights;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.Gate;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;

/**
 * A user's job of {@value #MAPS} maps, which stand at a gate until they have been looked at.
 *
 * <p>Not thread-safe. Whoever starts it closes it.
 */
final class UserJob implements AutoCloseable {
  static final int MAPS = 2;

  private final PseudoCluster cluster;
  private final Scenario scenario;
  private final int uid;
  private final Path gate;
  private final RunningJob job;

  UserJob(PseudoCluster cluster, Scenario records, String user, int uid) {
    this.cluster = cluster;
    this.scenario = records.named(user);
    this.uid = uid;
    this.gate = cluster.localDirectory(user + "-maps");
    this.job = UsersCluster.start(cluster, scenario.with(ScenarioConf.MAP_GATE, gate), user);
  }

  void awaitMaps() {
    assertNotEquals("", job.jobId(), "the client has submitted nothing");
    List<String> reached = Scenario.awaitReached(job, gate, MAPS);
    List<TaskProcess> maps =
        cluster.taskProcesses().stream()
            .filter(task -> reached.contains(task.attemptId()))
            .toList();
    assertEquals(MAPS, maps.size(), reached.toString());
    for (TaskProcess map : maps) {
      assertEquals(ProcessRights.ordinary(uid), map.rights(), map.attemptId());
    }
  }

  void finish(String expected) throws IOException {
    Gate.open(gate);
    JobResult result = job.await().requireSuccess();
    FinishedJob finished =
        FinishedJob.of(cluster, result)
            .allSucceededAtOnce()
            .has("SPILL_BYTES_MEMORY")
            .hasNo("SPILL_BYTES_DISK")
            .readWherever();
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
    List<Path> containers = cluster.containerLogs().ofJob(result.jobId());
    assertEquals(1 + finished.attempts().size(), containers.size(), containers.toString());
    for (Path container : containers) {
      assertEquals(
          uid,
          Files.getAttribute(container.resolve("syslog"), "unix:uid", LinkOption.NOFOLLOW_LINKS),
          "who wrote the log in " + container);
    }
  }

  @Override
  public void close() {
    job.close();
  }
}
