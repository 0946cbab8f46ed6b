package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.demo.TeraSort;
import io.sluice.it.demo.Variant;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobProgress;
import io.sluice.it.job.TaskAttempt;
import io.sluice.rdma.transport.DeviceCounters;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.TestReporter;

/**
 * TeraSort on stock Hadoop's daemons with a pool of some kind on either node: one map and one
 * reduce run on each, so that every pool is read in place by one reduce and over the RDMA device by
 * the other.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class TeraSortOverVerbsIT {
  private static final int MAPS = 2;
  private static final int ROWS_PER_MAP = 40_000;
  private static final long INPUT_BYTES = MAPS * ROWS_PER_MAP * 100L;

  /** Both reduces are wanted at the same time, when each node has room for one. */
  private static final Map<String, String> SETTINGS =
      Map.of("mapreduce.job.reduce.slowstart.completedmaps", "1.0");

  private static PseudoCluster cluster;
  private static TeraSort tera;
  private static String expected;

  @BeforeAll
  static void sortAsStockDoes() throws IOException {
    cluster = LabCluster.start();
    tera = new TeraSort(cluster, "/tera", INPUT_BYTES);
    TeraRows.upload(cluster, tera.input(), MAPS, ROWS_PER_MAP);
    tera.sort(Variant.STOCK, SETTINGS, JobProgress.SILENT);
    expected = TeraRows.digest(cluster, tera.output(Variant.STOCK));
    assertTrue(expected.startsWith(INPUT_BYTES + " bytes"), expected);
  }

  @AfterAll
  static void stopCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @Test
  @Order(1)
  void fromPoolsOnTmpfs(TestReporter reporter) throws IOException {
    assertSortsOverVerbs("tmpfs and tmpfs", 0, reporter);
  }

  @Test
  @Order(2)
  void fromPoolsOnHugePagesAndADaxDevice(TestReporter reporter) throws IOException {
    assumeFalse(LabCluster.hasPeer(), "the NVDIMMs are the first host's; run it with one host");
    restart(0, LabCluster.property("hugetlbfs"));
    restart(1, LabCluster.property("devdax"));
    assertSortsOverVerbs("hugetlbfs and device-DAX", 0, reporter);
  }

  @Test
  @Order(3)
  void fromAPoolThatTheDeviceCannotRegister(TestReporter reporter) throws IOException {
    assumeFalse(LabCluster.hasPeer(), "the NVDIMMs are the first host's; run it with one host");
    restart(0, LabCluster.property("fsdax") + "/sluice");
    restart(1, "");
    assertSortsOverVerbs("fs-DAX and tmpfs", 1, reporter);
  }

  private static void restart(int node, String pool) {
    cluster.nodes().get(node).restartWith(Map.of("sluice.pool.dir", pool));
  }

  private static void assertSortsOverVerbs(String pools, int bouncing, TestReporter reporter)
      throws IOException {
    cluster.awaitActiveNodes(2);
    DeviceCounters device = new DeviceCounters();
    JobCosts costs = tera.sort(Variant.SLUICE, SETTINGS, JobProgress.SILENT);
    assertEquals(expected, TeraRows.digest(cluster, tera.output(Variant.SLUICE)));
    assertEquals(Map.of(), costs.path().fallbacks());
    assertEquals(Set.of("ucx", "local"), Set.of(costs.path().transport().split("\\+")));
    assertEquals(2, nodesOf(costs, true).size(), "a map on each node");
    assertEquals(2, nodesOf(costs, false).size(), "a reduce on each node");
    long remoteBytes = costs.sluice().get("READ_BYTES_UCX");
    device.assertReceived(remoteBytes);
    long bouncedBytes = costs.sluice().getOrDefault("BOUNCED_BYTES", 0L);
    assertEquals(bouncing > 0, bouncedBytes > 0, "bytes through bounce buffers: " + bouncedBytes);
    reporter.publishEntry("verbs", pools + ": " + device.since(remoteBytes));
    reporter.publishEntry("shuffle", pools + ": " + costs.sluice());
  }

  private static Set<String> nodesOf(JobCosts costs, boolean maps) {
    List<TaskAttempt> attempts = JobHistory.of(cluster).attempts(costs.jobId());
    return attempts.stream()
        .filter(attempt -> attempt.map() == maps && attempt.succeeded())
        .map(TaskAttempt::node)
        .collect(Collectors.toSet());
  }
}
