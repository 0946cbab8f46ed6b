package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.demo.Variant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobProgress;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.TaskAttempt;
import io.sluice.rdma.transport.DeviceCounters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * TeraSort on stock Hadoop's daemons with a pool of some kind on either node: one map and one
 * reduce run on each, so that every pool is read in place by one reduce and over the RDMA device by
 * the other.
 */
@EnabledIfSystemProperty(
    named = LabCluster.SHARE,
    matches = ".+",
    disabledReason = "not in the lab's guest; ./sluice lab terasort runs this")
class TeraSortOverVerbsIT {
  private static final int MAPS = 2;
  private static final int ROWS_PER_MAP = 40_000;
  private static final long INPUT_BYTES = MAPS * ROWS_PER_MAP * 100L;

  private static PseudoCluster cluster;
  private static String expected;

  @BeforeAll
  static void sortAsStockDoes() throws IOException {
    cluster = LabCluster.start();
    TeraRows.write(LabCluster.files().resolve("input"), MAPS, ROWS_PER_MAP);
    sort(Variant.STOCK, "stock");
    expected = digest("stock");
    assertTrue(expected.startsWith(INPUT_BYTES + " bytes"), expected);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  void fromHugePagesAndADaxDevice(TestReporter reporter) throws IOException {
    assumeFalse(
        LabCluster.hasPeer(), "the NVDIMMs are one host's; ./sluice lab terasort runs this");
    restart(0, LabCluster.property("hugetlbfs"));
    restart(1, LabCluster.property("devdax"));
    JobCosts costs = assertSortsOverVerbs("hugetlbfs and device-DAX", reporter);
    assertEquals(0, bouncedBytes(costs), "both can be registered");
  }

  @Test
  void fromTmpfsAndAPoolThatTheDeviceCannotRegister(TestReporter reporter) throws IOException {
    assumeFalse(
        LabCluster.hasPeer(), "the NVDIMMs are one host's; ./sluice lab terasort runs this");
    restart(0, "");
    restart(1, LabCluster.property("fsdax") + "/sluice");
    JobCosts costs = assertSortsOverVerbs("tmpfs and fs-DAX", reporter);
    assertTrue(bouncedBytes(costs) > 0, "fs-DAX cannot be registered");
  }

  @Test
  void fromAnotherHost(TestReporter reporter) throws IOException {
    assumeTrue(LabCluster.hasPeer(), "one host; ./sluice lab --hosts 2 terasort runs this");
    assertSortsOverVerbs("tmpfs on two hosts", reporter);
  }

  private static void restart(int node, String pool) {
    cluster.nodes().get(node).restartWith(Map.of("sluice.pool.dir", pool));
  }

  private static JobCosts assertSortsOverVerbs(String pools, TestReporter reporter)
      throws IOException {
    cluster.awaitActiveNodes(2);
    DeviceCounters device = new DeviceCounters();
    JobCosts costs = sort(Variant.SLUICE, pools.replace(' ', '-'));
    reporter.publishEntry("shuffle", pools + ": " + costs.sluice());
    assertEquals(expected, digest(pools.replace(' ', '-')), "the output is stock's");
    assertEquals(Map.of(), costs.path().fallbacks());
    assertEquals(Set.of("ucx", "local"), Set.of(costs.path().transport().split("\\+")));
    assertEquals(2, nodesOf(costs, true).size(), "a map on each node");
    assertEquals(2, nodesOf(costs, false).size(), "a reduce on each node");
    long readBytes = costs.sluice().get("READ_BYTES_UCX");
    reporter.publishEntry("verbs", pools + ": " + device.since(readBytes));
    // With a peer, half of the remote reads are the other host's: its device has counted them.
    device.assertReceived(LabCluster.hasPeer() ? readBytes / 3 : readBytes);
    return costs;
  }

  /** Both reduces are wanted at the same time, when each node has room for one. */
  private static JobCosts sort(Variant variant, String output) {
    JobSpec spec =
        JobSpec.example(
                cluster.spec().distribution(),
                "TeraSort, " + output,
                "terasort",
                LabCluster.files().resolve("input").toString(),
                LabCluster.files().resolve(output).toString())
            .with(variant.settings())
            // The other one wants its partition file from a distributed cache, which local files
            // lack.
            .with("mapreduce.terasort.simplepartitioner", "true")
            .with("mapreduce.job.reduces", 2)
            .with("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    return JobCosts.of(cluster, RunningJob.run(cluster, spec, JobProgress.SILENT).requireSuccess());
  }

  private static String digest(String output) throws IOException {
    return TeraRows.digest(LabCluster.files().resolve(output));
  }

  private static long bouncedBytes(JobCosts costs) {
    return costs.sluice().getOrDefault("BOUNCED_BYTES", 0L);
  }

  private static Set<String> nodesOf(JobCosts costs, boolean maps) {
    List<TaskAttempt> attempts = JobHistory.of(cluster).attempts(costs.jobId());
    return attempts.stream()
        .filter(attempt -> attempt.map() == maps && attempt.succeeded())
        .map(TaskAttempt::node)
        .collect(Collectors.toSet());
  }
}
