package io.sluice.it.lab;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.job.JobCosts;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.rdma.LabTransport;
import io.sluice.rdma.transport.DeviceCounters;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * A job of stock Hadoop in as few JVMs as there can be: one for all daemons of a host, and those of
 * the client, the ApplicationMaster, a map and a reduce. The reduce reads the map's output from
 * another node's pool over the RDMA device. {@link TeraSortOverVerbsIT} has a JVM for every daemon
 * and every kind of pool, and takes several times as long.
 */
@EnabledIfSystemProperty(
    named = LabCluster.SHARE,
    matches = ".+",
    disabledReason = "not in the lab's guest; ./sluice lab mapreduce runs this")
class MapReduceOverVerbsIT {
  private static final int ROWS = 40_000;

  @Test
  void aMapsOutputIsReadFromAnotherNodesPool(TestReporter reporter) throws IOException {
    assumeFalse(LabCluster.hasPeer(), "the NVDIMM is one host's; ./sluice lab mapreduce runs this");
    try (PseudoCluster cluster = LabCluster.ofOneJvm()) {
      JobCosts costs = assertReadsOverVerbs(cluster, reporter);
      assertTrue(costs.sluice().get("BOUNCED_BYTES") > 0, "fs-DAX cannot be registered");
    }
  }

  @Test
  void aMapsOutputIsReadFromAnotherHost(TestReporter reporter) throws IOException {
    assumeTrue(LabCluster.hasPeer(), "one host; ./sluice lab --hosts 2 mapreduce runs this");
    try (PseudoCluster cluster = LabCluster.ofOneJvmAndThePeer()) {
      JobCosts costs = assertReadsOverVerbs(cluster, reporter);
      assertEquals("sluice-2", hostOf(cluster, costs, true), "the map's host");
      assertEquals("sluice-1", hostOf(cluster, costs, false), "the reduce's host");
    }
  }

  private static JobCosts assertReadsOverVerbs(PseudoCluster cluster, TestReporter reporter)
      throws IOException {
    Path input = LabCluster.files().resolve("input");
    Path output = LabCluster.files().resolve("output");
    TeraRows.write(input, 1, ROWS);
    DeviceCounters device = new DeviceCounters();
    JobSpec spec =
        JobSpec.example(
                cluster.spec().distribution(),
                "TeraSort in few JVMs",
                "terasort",
                input.toString(),
                output.toString())
            .with(HadoopVariant.SLUICE.settings())
            .with("mapreduce.terasort.simplepartitioner", "true")
            .with("mapreduce.job.reduces", 1)
            .with("mapreduce.job.reduce.slowstart.completedmaps", "1.0");
    JobCosts costs =
        JobCosts.of(cluster, RunningJob.run(cluster, spec, JobProgress.SILENT).requireSuccess());
    reporter.publishEntry("shuffle", costs.sluice().toString());
    long readBytes = costs.sluice().get(LabCluster.readBytesCounter());
    reporter.publishEntry("verbs", device.since(readBytes));
    assertEquals(TeraRows.sortedDigest(input), TeraRows.digest(output), "sorted");
    assertEquals(Map.of(), costs.path().fallbacks());
    assertEquals(LabTransport.NAME, costs.path().transport());
    assertTrue(readBytes >= (long) ROWS * TeraRows.ROW_BYTES, readBytes + " bytes read");
    device.assertReceived(readBytes);
    return costs;
  }

  /** The host of the only map, or of the only reduce. */
  private static String hostOf(PseudoCluster cluster, JobCosts costs, boolean map) {
    return JobHistory.of(cluster).attempts(costs.jobIds().get(0)).stream()
        .filter(attempt -> attempt.map() == map && attempt.succeeded())
        .map(attempt -> attempt.node().split(":")[0])
        .collect(Collectors.joining(", "));
  }
}
