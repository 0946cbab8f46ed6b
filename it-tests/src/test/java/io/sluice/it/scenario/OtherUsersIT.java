package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.ProcessRights;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobProgress;
import io.sluice.it.job.JobResult;
import io.sluice.it.job.RunningJob;
import io.sluice.it.jobs.Gate;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * A cluster whose NodeManagers are one user's and whose containers are those of the users for whom
 * jobs run, as with LinuxContainerExecutor and Kerberos. Sluice's service belongs to the first, and
 * serves the tasks of the others.
 */
class OtherUsersIT {
  /** Two maps, though both ApplicationMasters may lie on the same node. */
  private static final int NODE_MEMORY_MB = 2 * 768 + 2 * 1280;

  private static final int MAPS = 2;
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final Scenario RECORDS =
      Scenario.newApi("users")
          .with(ScenarioConf.MAPS, MAPS)
          .with(ScenarioConf.RECORDS_PER_MAP, 3_000)
          // A task at a gate looks like one that hangs.
          .with("mapreduce.map.speculative", false);

  @Test
  void jobsOfTwoUsersRunAsTheirsAndShuffleThroughOnePool() throws IOException {
    TestUsers users = UsersCluster.users();
    ClusterSpec spec =
        UsersCluster.spec(Workspace.find(), users, NODE_MEMORY_MB, 24, 4)
            .withNodeManagerRecovery()
            .withSite("yarn.nodemanager.recovery.supervised", "true");
    Path directory;
    Path pool;
    try (PseudoCluster cluster = PseudoCluster.start(Workspace.find(), spec)) {
      directory = cluster.directory();
      pool = cluster.nodes().get(0).place().pool();
      for (NodeManager node : cluster.nodes()) {
        assertEquals(users.ofNodeManager(), node.daemon().rights(), node.daemon().toString());
      }
      String expected = StockOutput.of(cluster, RECORDS);
      try (UserJob ann = new UserJob(cluster, TestUsers.ANN, users.ann());
          UserJob bob = new UserJob(cluster, TestUsers.BOB, users.bob())) {
        ann.awaitMaps();
        bob.awaitMaps();
        ann.finish(expected);
        bob.finish(expected);
      }
      Pools.awaitEmpty(cluster);
    }
    assertFalse(Files.exists(directory), directory + " is left");
    assertFalse(Files.exists(pool), pool + " is left");
    Poll.untilTrue(
        "the end of all processes in " + directory,
        DEADLINE,
        () -> Optional.of(users.processesIn(directory).isEmpty()));
  }

  /** A user's job whose maps stand at a gate until they have been looked at. */
  private static final class UserJob implements AutoCloseable {
    private final PseudoCluster cluster;
    private final Scenario scenario;
    private final int uid;
    private final Path gate;
    private final RunningJob job;

    UserJob(PseudoCluster cluster, String user, int uid) {
      this.cluster = cluster;
      this.scenario = RECORDS.named(user);
      this.uid = uid;
      this.gate = cluster.localDirectory(user + "-maps");
      this.job =
          RunningJob.start(
              cluster,
              scenario.with(ScenarioConf.MAP_GATE, gate).spec(HadoopVariant.SLUICE).as(user),
              JobProgress.SILENT);
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
              .has("SPILL_BYTES_MEMORY", "READ_BYTES_LOCAL")
              .hasNo("SPILL_BYTES_DISK")
              .hasNoFallback();
      Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
      List<Path> containers =
          cluster.containerLogs().ofApplication(result.jobId().replace("job", "application"));
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
}
