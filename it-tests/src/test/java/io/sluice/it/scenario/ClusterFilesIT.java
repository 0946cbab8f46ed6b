package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClientWithJar;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.NodeManager.NodeState;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.SluiceFragments;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobCounters;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.ScenarioConf;
import io.sluice.it.jobs.ScenarioJob;
import io.sluice.spill.segment.PrivateDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** Stock jobs that hand their files on in the pools of the nodes, and a stock driver between. */
@ExtendWith(SharedCluster.class)
class ClusterFilesIT {
  private static final String WRITTEN = "sluice://cluster/chain/0";
  private static final String RENAMED = "sluice://cluster/chain/previous";
  private static final String FILE_SYSTEM = "io.sluice.hadoop.fs.SluiceFileSystem";
  private static final String IMPLEMENTATION = "fs.sluice.impl";
  private static final Duration JOB_DEADLINE = Duration.ofMinutes(10);

  private static final Scenario RECORDS =
      Scenario.newApi("cluster-files")
          .with(ScenarioConf.RECORDS_PER_MAP, 20_000)
          .with("mapreduce.job.reduces", 3);

  @Test
  void theNextJobReadsFromThePoolsWhatTheFirstHasWritten(PseudoCluster cluster) throws Exception {
    String records = StockOutput.of(cluster, RECORDS);
    wordCount(cluster, "expected", records, "/cluster-files/expected");

    JobCounters firsts = FinishedJob.of(cluster, run(cluster, writer())).counters();
    long writtenBytes = firsts.require(JobCounters.FILE_SYSTEM, "SLUICE_BYTES_WRITTEN");
    long besidesBytes = firsts.require(JobCounters.FILE_SYSTEM, "HDFS_BYTES_WRITTEN");
    assertTrue(writtenBytes > 1 << 20, writtenBytes + " bytes written");
    assertTrue(besidesBytes < 4096, besidesBytes + " bytes written to HDFS: records alone");
    assertTrue(heldBytes(cluster) >= writtenBytes, "the application has ended, its files stay");

    ClientWithJar.fs(cluster, "-mv", WRITTEN, RENAMED);
    JobCounters seconds = wordCount(cluster, "second", RENAMED, "/cluster-files/actual");
    long readBytes = seconds.require(JobCounters.FILE_SYSTEM, "SLUICE_BYTES_READ");
    assertTrue(readBytes >= writtenBytes, readBytes + " bytes read of " + writtenBytes);
    Oracle.assertSameOutput(cluster, "/cluster-files/expected", "/cluster-files/actual");

    String listed = ClientWithJar.fs(cluster, "-ls", RENAMED);
    assertTrue(listed.contains(RENAMED + "/_SUCCESS"), listed);
    ClientWithJar.fs(cluster, "-rm", "-r", "-skipTrash", RENAMED);
    Pools.awaitEmpty(cluster);
  }

  @Test
  @Tag("campaign")
  void whatIsLostWithItsNodesIsWrittenAgainByTheJobThatWroteIt(PseudoCluster cluster)
      throws Exception {
    wordCount(cluster, "expected", StockOutput.of(cluster, RECORDS), "/lost-files/expected");
    run(cluster, writer());
    loseMemories(cluster);
    JobResult failed =
        RunningJob.run(
            cluster, reader(cluster, "lost", WRITTEN, "/lost-files/no"), JobProgress.SILENT);
    assertFalse(failed.succeeded(), "the files are gone");
    assertTrue(failed.output().contains("sluice://cluster/chain/0/part-"), failed.output());
    ClientWithJar.fs(cluster, "-rm", "-r", "-skipTrash", WRITTEN);
    run(cluster, writer());
    wordCount(cluster, "again", WRITTEN, "/lost-files/actual");
    Oracle.assertSameOutput(cluster, "/lost-files/expected", "/lost-files/actual");
    ClientWithJar.fs(cluster, "-rm", "-r", "-skipTrash", WRITTEN);
    Pools.awaitEmpty(cluster);
  }

  @Test
  @Tag("campaign")
  void withWriteBehindNothingIsLostWithTheNodes(PseudoCluster cluster) throws Exception {
    wordCount(cluster, "expected", StockOutput.of(cluster, RECORDS), "/kept-files/expected");
    run(cluster, writer().with("sluice.cluster.write-behind", true));
    loseMemories(cluster);
    wordCount(cluster, "of copies", WRITTEN, "/kept-files/actual");
    Oracle.assertSameOutput(cluster, "/kept-files/expected", "/kept-files/actual");
    ClientWithJar.fs(cluster, "-rm", "-r", "-skipTrash", WRITTEN);
    Pools.awaitEmpty(cluster);
  }

  /** As by a reboot of all nodes. */
  private static void loseMemories(PseudoCluster cluster) throws IOException {
    for (NodeManager node : cluster.nodes()) {
      node.killHard();
      PrivateDirectory.delete(node.place().pool());
      node.start();
    }
    cluster.awaitActiveNodes(2);
  }

  private static JobSpec writer() {
    return new JobSpec(
            "chain, first",
            Workspace.find().jobsJar(),
            ScenarioJob.class.getName(),
            HadoopVariant.SLUICE.settings(),
            withJar(WRITTEN),
            JOB_DEADLINE)
        .with(RECORDS.settings())
        .with(IMPLEMENTATION, FILE_SYSTEM);
  }

  /**
   * Clients of jobs have stock's class path: the jar comes with the job, and the class is named.
   */
  private static List<String> withJar(String... arguments) {
    List<String> all = new ArrayList<>();
    all.add("-libjars");
    all.add(SluiceFragments.load(Workspace.find()).orElseThrow().jar().toString());
    all.addAll(Arrays.asList(arguments));
    return all;
  }

  private static JobCounters wordCount(PseudoCluster cluster, String name, String from, String to) {
    return FinishedJob.of(cluster, run(cluster, reader(cluster, name, from, to))).counters();
  }

  private static JobSpec reader(PseudoCluster cluster, String name, String from, String to) {
    return JobSpec.example(
            cluster.spec().distribution(),
            "chain, " + name,
            "wordcount",
            withJar(from, to).toArray(String[]::new))
        .with(IMPLEMENTATION, FILE_SYSTEM)
        .withDeadline(JOB_DEADLINE);
  }

  private static JobResult run(PseudoCluster cluster, JobSpec job) {
    return RunningJob.run(cluster, job, JobProgress.SILENT).requireSuccess();
  }

  private static long heldBytes(PseudoCluster cluster) throws Exception {
    return Pools.states(cluster).stream().mapToLong(ClusterFilesIT::heldBytes).sum();
  }

  private static long heldBytes(NodeState node) {
    return node.memoryUsedBytes() + node.diskUsedBytes();
  }
}
