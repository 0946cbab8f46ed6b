package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.transport.DeviceCounters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * TeraSort on stock Hadoop's daemons, with as many maps as NodeManagers, one on each, and two
 * reduces on different ones: every pool is read over the RDMA device by one of them at least. More
 * reduces would read no more kinds of pool, and start JVMs, which cost an emulator a minute each.
 */
@EnabledIfSystemProperty(
    named = LabCluster.SHARE,
    matches = ".+",
    disabledReason = "not in the lab's guest; ./sluice lab terasort runs this")
class TeraSortOverVerbsIT {
  private static final int ROWS_PER_MAP = 40_000;
  private static final int REDUCES = 2;

  @Test
  void fromEveryKindOfPool(TestReporter reporter) throws IOException {
    assumeFalse(
        LabCluster.hasPeer(), "the NVDIMMs are one host's; ./sluice lab terasort runs this");
    try (PseudoCluster cluster = LabCluster.ofEveryPool()) {
      DeviceCounters device = new DeviceCounters();
      JobCosts costs = assertSortsOverVerbs(cluster, reporter);
      long readBytes = costs.sluice().get(LabCluster.readBytesCounter());
      long bouncedBytes = costs.sluice().getOrDefault("BOUNCED_BYTES", 0L);
      reporter.publishEntry("verbs", device.since(readBytes));
      device.assertReceived(readBytes);
      assertTrue(bouncedBytes > 0, "fs-DAX cannot be registered");
      assertTrue(bouncedBytes < readBytes / 2, "all others can be: " + bouncedBytes);
    }
  }

  @Test
  void fromAnotherHost(TestReporter reporter) throws IOException {
    assumeTrue(LabCluster.hasPeer(), "one host; ./sluice lab --hosts 2 terasort runs this");
    try (PseudoCluster cluster = LabCluster.ofTwoHosts()) {
      DeviceCounters device = new DeviceCounters();
      JobCosts costs = assertSortsOverVerbs(cluster, reporter);
      long readBytes = costs.sluice().get(LabCluster.readBytesCounter());
      reporter.publishEntry("verbs", device.since(readBytes));
      // Half of the reads are the other host's: its device has counted them.
      device.assertReceived(readBytes / 3);
    }
  }

  private static JobCosts assertSortsOverVerbs(PseudoCluster cluster, TestReporter reporter)
      throws IOException {
    int nodes = cluster.nodes().size();
    TeraRows.write(LabCluster.files().resolve("input"), nodes, ROWS_PER_MAP);
    // In the client's own JVM: what counts is stock's output, and an emulator starts each of a
    // job's JVMs for half a minute.
    sort(
        cluster,
        "stock",
        HadoopVariant.STOCK.settings(),
        Map.of("mapreduce.framework.name", "local"));
    String expected = digest("stock");
    long inputBytes = (long) nodes * ROWS_PER_MAP * TeraRows.ROW_BYTES;
    assertTrue(expected.startsWith(inputBytes + " bytes"), expected);
    JobCosts costs =
        JobCosts.of(cluster, sort(cluster, "sluice", HadoopVariant.SLUICE.settings(), Map.of()));
    reporter.publishEntry("shuffle", costs.sluice().toString());
    assertEquals(expected, digest("sluice"), "the output is stock's");
    assertEquals(Map.of(), costs.path().fallbacks());
    assertEquals(Set.of(LabTransport.NAME, "local"), Set.of(costs.path().transport().split("\\+")));
    assertEquals(nodes, nodesOf(cluster, costs, true).size(), "a map on each node");
    assertEquals(REDUCES, nodesOf(cluster, costs, false).size(), "reduces on different nodes");
    return costs;
  }

  /** All reduces are wanted at the same time, when each node has room for one. */
  private static JobResult sort(
      PseudoCluster cluster,
      String output,
      Map<String, String> variant,
      Map<String, String> framework) {
    JobSpec spec =
        JobSpec.example(
                cluster.spec().distribution(),
                "TeraSort, " + output,
                "terasort",
                LabCluster.files().resolve("input").toString(),
                LabCluster.files().resolve(output).toString())
            .with(variant)
            .with(framework)
            // The other one wants its partition file from a distributed cache, which local files
            // lack.
            .with("mapreduce.terasort.simplepartitioner", "true")
            .with("mapreduce.job.reduces", REDUCES)
            .with("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    return RunningJob.run(cluster, spec, JobProgress.SILENT).requireSuccess();
  }

  private static String digest(String output) throws IOException {
    return TeraRows.digest(LabCluster.files().resolve(output));
  }

  private static Set<String> nodesOf(PseudoCluster cluster, JobCosts costs, boolean maps) {
    List<TaskAttempt> attempts = JobHistory.of(cluster).attempts(costs.jobIds().get(0));
    return attempts.stream()
        .filter(attempt -> attempt.map() == maps && attempt.succeeded())
        .map(TaskAttempt::node)
        .collect(Collectors.toSet());
  }
}
