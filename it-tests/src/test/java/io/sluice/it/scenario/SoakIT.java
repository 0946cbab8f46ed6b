package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.ProcessTable.ProcessHoldings;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.RunningJob;
import io.sluice.it.jobs.ScenarioConf;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many jobs of two users, two at a time, on nodes whose memory tiers hold a quarter of what two
 * jobs shuffle. In the end the services hold no more than after the first two.
 */
@Tag("campaign")
class SoakIT {
  private static final int ROUNDS = 25;
  private static final int NODE_MEMORY_MB = 2 * 768 + 2 * 1280;
  private static final int POOL_MB = 4; // of each of two nodes
  private static final long LEAST_SHUFFLED_BYTES = 16 << 20; // of each of two jobs
  private static final Duration DEADLINE = Duration.ofMinutes(2);
  private static final Scenario RECORDS =
      Scenario.newApi("soak")
          .with(ScenarioConf.MAPS, 4)
          .with(ScenarioConf.RECORDS_PER_MAP, 20_000)
          .with(ScenarioConf.MAX_VALUE_LENGTH, 450);

  /** What one NodeManager holds, and how many files are in the pool that it serves. */
  private record Held(ProcessHoldings process, long poolFiles) {
    boolean isWithin(Held bound) {
      return process.files() <= bound.process.files()
          && process.threads() <= bound.process.threads()
          && poolFiles <= bound.poolFiles;
    }
  }

  @Test
  void whatServicesHoldDoesNotGrowWithTheJobsOfTwoUsers() throws Exception {
    Workspace workspace = Workspace.find();
    ClusterSpec spec =
        UsersCluster.spec(workspace, UsersCluster.users(), NODE_MEMORY_MB, POOL_MB, 1);
    try (PseudoCluster cluster = PseudoCluster.start(workspace, spec)) {
      String expected = StockOutput.of(cluster, RECORDS);
      round(cluster, 0, expected);
      List<Held> before = held(cluster);
      for (int round = 1; round <= ROUNDS; round++) {
        round(cluster, round, expected);
      }
      Poll.untilTrue(
          "the services to hold no more than before",
          DEADLINE,
          () -> {
            List<Held> now = held(cluster);
            boolean within =
                IntStream.range(0, now.size()).allMatch(i -> now.get(i).isWithin(before.get(i)));
            if (!within) {
              throw new IOException("held before " + before + ", now " + now);
            }
            return true;
          });
    }
  }

  private static void round(PseudoCluster cluster, int round, String expected)
      throws IOException, InterruptedException {
    Scenario ann = RECORDS.named("ann-" + round);
    Scenario bob = RECORDS.named("bob-" + round);
    final long diskUsesBefore = Pools.diskUses(cluster);
    try (RunningJob first = UsersCluster.start(cluster, ann, TestUsers.ANN);
        RunningJob second = UsersCluster.start(cluster, bob, TestUsers.BOB)) {
      finish(cluster, first, ann, expected);
      finish(cluster, second, bob, expected);
    }
    assertTrue(Pools.diskUses(cluster) > diskUsesBefore, "memory was not short");
    Pools.awaitEmpty(cluster);
  }

  private static void finish(
      PseudoCluster cluster, RunningJob job, Scenario scenario, String expected)
      throws IOException {
    FinishedJob finished =
        FinishedJob.of(cluster, job.await().requireSuccess()).allSucceededAtOnce().hasNoFallback();
    long shuffledBytes = finished.counters().task("MAP_OUTPUT_BYTES");
    assertTrue(shuffledBytes >= LEAST_SHUFFLED_BYTES, shuffledBytes + " bytes were shuffled");
    Oracle.assertSameOutput(cluster, expected, scenario.output(HadoopVariant.SLUICE));
    cluster.fileSystem().delete(scenario.output(HadoopVariant.SLUICE));
  }

  private static List<Held> held(PseudoCluster cluster) throws IOException {
    List<Held> all = new ArrayList<>();
    for (NodeManager node : cluster.nodes()) {
      Path pool = node.place().pool();
      try (Stream<Path> files = Files.walk(pool)) {
        all.add(
            new Held(
                ProcessHoldings.of(node.daemon().pid(), List.of(pool, node.place().localDir())),
                files.count()));
      }
    }
    assertEquals(cluster.nodes().size(), all.size());
    return all;
  }
}
