package io.sluice.it.scenario;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.ClusterSpec;
import io.sluice.it.cluster.NodeManager;
import io.sluice.it.cluster.NodeManager.NodeState;
import io.sluice.it.cluster.Poll;
import io.sluice.it.cluster.PseudoCluster;
import io.sluice.it.cluster.TaskProcess;
import io.sluice.it.cluster.TestUsers;
import io.sluice.it.cluster.Workspace;
import io.sluice.it.job.JobHistory;
import io.sluice.it.job.JobHistory.TaskAttempt;
import io.sluice.it.job.JobSpec;
import io.sluice.it.job.RunningJob;
import io.sluice.it.job.RunningJob.JobProgress;
import io.sluice.it.job.RunningJob.JobResult;
import io.sluice.it.jobs.ScenarioConf;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.RegionDescriptor;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A cluster whose NodeManagers are one user's and whose containers are those of the users for whom
 * jobs run, as with LinuxContainerExecutor and Kerberos. Sluice's service belongs to the first, and
 * serves the tasks of the others.
 */
class OtherUsersIT {
  /** Two maps, though both ApplicationMasters may lie on the same node. */
  private static final int NODE_MEMORY_MB = 2 * 768 + 2 * 1280;

  /** Of a secret, in the file that the service keeps of an application. */
  private static final int SECRET_OFFSET = 8;

  private static final Pattern REFUSED_READ = Pattern.compile("Refused a read of \\S+;");
  private static final Duration DEADLINE = Duration.ofMinutes(1);
  private static final Duration JOB_DEADLINE = Duration.ofMinutes(10);
  private static final Scenario RECORDS =
      Scenario.newApi("users").with(ScenarioConf.RECORDS_PER_MAP, 3_000);

  private static TestUsers users;
  private static PseudoCluster cluster;

  @TempDir Path directory;

  @BeforeAll
  static void start() {
    users = UsersCluster.users();
    ClusterSpec spec =
        UsersCluster.spec(Workspace.find(), users, NODE_MEMORY_MB, 24, 4)
            .withNodeManagerRecovery()
            .withSite("yarn.nodemanager.recovery.supervised", "true");
    cluster = PseudoCluster.start(Workspace.find(), spec);
  }

  @AfterAll
  static void nothingIsLeft() {
    if (cluster == null) {
      return; // as this user cannot start one
    }
    Path place = cluster.directory();
    Path pool = cluster.nodes().get(0).place().pool();
    cluster.close();
    assertFalse(Files.exists(place), place + " is left");
    assertFalse(Files.exists(pool), pool + " is left");
    Poll.untilTrue(
        "the end of all processes in " + place, DEADLINE, () -> users.processesIn(place).isEmpty());
  }

  @Test
  void jobsOfTwoUsersRunAsTheirsAndShuffleThroughOnePool() throws IOException {
    for (NodeManager node : cluster.nodes()) {
      assertEquals(users.ofNodeManager(), node.daemon().rights(), node.daemon().toString());
    }
    Scenario records = RECORDS.named("two-users").with(ScenarioConf.MAPS, UserJob.MAPS);
    Scenario never = records.with("sluice.fallback.policy", "never");
    String expected = StockOutput.of(cluster, records);
    try (UserJob ann = new UserJob(cluster, records, TestUsers.ANN, users.ann());
        UserJob bob = new UserJob(cluster, never, TestUsers.BOB, users.bob())) {
      ann.awaitMaps();
      bob.awaitMaps();
      ann.finish(expected);
      bob.finish(expected);
    }
    Pools.awaitEmpty(cluster);
  }

  /** What is hers is open to his tasks when the directory of its names is, and not before. */
  @Test
  @Tag("campaign")
  void aUsersClusterFilesAreForWhomTheirRootIs() throws IOException {
    Scenario records = RECORDS.named("cluster-files").with(ScenarioConf.RECORDS_PER_MAP, 20_000);
    UserFiles files = new UserFiles(cluster, cluster.localDirectory("cluster-files"), users.ann());
    files.write(records, TestUsers.ANN);
    files.startCount("/cluster-files/ann", TestUsers.ANN).awaitSuccess();

    JobResult refused = files.startCount("/cluster-files/refused", TestUsers.BOB).await();
    assertFalse(refused.succeeded(), refused.output());
    List<TaskAttempt> attempts = JobHistory.of(cluster).attempts(refused.jobId());
    assertTrue(
        attempts.stream().anyMatch(each -> each.diagnostics().contains("Permission denied")),
        attempts.toString());

    files.letOthersRead();
    files.startCount("/cluster-files/bob", TestUsers.BOB).awaitSuccess();
    Oracle.assertSameOutput(cluster, "/cluster-files/ann", "/cluster-files/bob");
    files.delete();
    Pools.awaitEmpty(cluster);
  }

  /** While her job runs, a map of his tries to get at what its maps have written. */
  @Test
  void aTaskThatCheatsGetsNothingOfAnotherUsersJob() throws Exception {
    Scenario anns =
        RECORDS
            .named("cheated")
            .with(ScenarioConf.MAPS, GatedRun.SLOTS)
            .with("mapreduce.job.reduce.slowstart.completedmaps", 1); // his tasks need the room
    String expected = StockOutput.of(cluster, anns);
    Map<String, Long> refusedBefore = counts(NodeState::taskRefusals);
    try (GatedRun ann = GatedRun.start(cluster, anns, TestUsers.ANN)) {
      List<TaskProcess> written =
          List.of(ann.mapsOn(0).get(0), ann.mapsOn(1).get(0)); // he may come to either node
      ann.finish(written);
      long failedReads = counts(NodeState::failedReads).get("tcp");
      long loggedReads = refusedReads(logs());
      List<String> outcomes = cheat(ann.applicationId(), written);
      assertEquals(
          """
          read a file: AccessDeniedException
          list the pool: AccessDeniedException
          read a file on disk: AccessDeniedException
          list the disk tier: AccessDeniedException
          list the service: AccessDeniedException
          read a secret: AccessDeniedException
          replay a hello: RemoteError
          open to read: NoSuchFileException
          open to write: NoSuchFileException
          give back: RemoteError
          commit: CorruptOutputException
          commit: CorruptOutputException
          guess a secret: RemoteError
          ask for an output: IllegalStateException
          read with a guessed key: RemoteAccessException
          """
              .lines()
              .sorted()
              .toList(),
          outcomes.stream().sorted().toList());
      assertEquals(failedReads + 1, counts(NodeState::failedReads).get("tcp"), "with a key");
      assertEquals(loggedReads + 1, refusedReads(logs()), "lines about it");
      ann.openMapGate();
      ann.openReduceGate();
      ann.await().allSucceededAtOnce().readBothWays(); // no node has room for all four maps
    }
    Oracle.assertSameOutput(cluster, expected, anns.output(HadoopVariant.SLUICE));
    Map<String, Long> refused = counts(NodeState::taskRefusals);
    refusedBefore.forEach((why, before) -> refused.merge(why, -before, Long::sum));
    assertEquals(
        Map.of(
            "wrong-user", 1L,
            "wrong-secret", 1L,
            "foreign-segment", 2L,
            "untaken-files", 0L,
            "bad-output", 2L,
            "bad-message", 1L,
            "unknown-application", 0L,
            "too-many", 0L),
        refused);
    String logs = logs();
    refused.forEach(
        (why, count) ->
            assertEquals(count > 0, logs.contains("Refused (" + why + ";"), why + " is logged"));
    Pools.awaitEmpty(cluster);
  }

  /** Of both nodes. */
  private static Map<String, Long> counts(Function<NodeState, Map<String, Long>> which)
      throws IOException, InterruptedException {
    Map<String, Long> all = new TreeMap<>();
    for (NodeState state : Pools.states(cluster)) {
      which.apply(state).forEach((what, count) -> all.merge(what, count, Long::sum));
    }
    return all;
  }

  private static String logs() throws IOException {
    StringBuilder logs = new StringBuilder();
    for (NodeManager node : cluster.nodes()) {
      logs.append(Files.readString(node.daemon().logFile()));
    }
    return logs.toString();
  }

  private static long refusedReads(String logs) {
    return REFUSED_READ.matcher(logs).results().count();
  }

  /** What came of it, on the node that his only map came to. */
  private List<String> cheat(String application, List<TaskProcess> written) throws IOException {
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put(ScenarioConf.MAPS, "1");
    for (TaskProcess map : written) {
      NodeManager.Place place = cluster.nodes().get(map.node()).place();
      Path home = place.pool();
      Path segment = segmentOfAnn(home);
      settings.put(
          CheatJob.FOREIGN + segment.getParent(),
          String.join(
              ",",
              foreign(
                  application,
                  secretOf(application, home),
                  map.attemptId(),
                  segment,
                  fileIn(place.localDir().resolveSibling("overflow")))));
    }
    String output = "/cheat";
    JobSpec job =
        new JobSpec(
                "cheat",
                CheatJob.jar(Workspace.find().jobsJar(), directory.resolve("cheat.jar")),
                CheatJob.class.getName(),
                HadoopVariant.SLUICE.settings(),
                List.of(output),
                JOB_DEADLINE)
            .with(settings)
            .as(TestUsers.BOB);
    RunningJob.run(cluster, job, JobProgress.SILENT).requireSuccess();
    return Oracle.lines(cluster, output);
  }

  /** As if he had overheard what one of her tasks has said: where the service keeps it. */
  private static String secretOf(String application, Path home) throws IOException {
    byte[] kept = Files.readAllBytes(home.resolve("applications").resolve(application));
    return HexFormat.of().formatHex(kept, SECRET_OFFSET, kept.length);
  }

  /** A segment of hers, and a key that is not its region's. */
  private static List<String> foreign(
      String application, String secret, String attempt, Path segment, Path onDisk)
      throws IOException {
    SegmentName name = SegmentName.parse(segment).orElseThrow();
    long lengthBytes = Files.size(segment);
    RegionDescriptor guessed =
        new RegionDescriptor(
            1, new Random(TestSeed.next("guessed key")).nextLong(), lengthBytes, new byte[0]);
    return List.of(
        application,
        secret,
        attempt,
        segment.toString(),
        Integer.toString(name.segmentId()),
        Integer.toString(name.incarnation()),
        Long.toString(lengthBytes),
        onDisk.toString(),
        "a guessed key",
        HexFormat.of().formatHex(guessed.encode()));
  }

  /** One that is always there: the disk tier's lock. */
  private static Path fileIn(Path overflow) throws IOException {
    try (Stream<Path> files = Files.list(overflow)) {
      return files.filter(Files::isRegularFile).findFirst().orElseThrow();
    }
  }

  private static Path segmentOfAnn(Path pool) throws IOException {
    try (Stream<Path> files = Files.walk(pool)) {
      return files.filter(OtherUsersIT::isAnns).findFirst().orElseThrow();
    }
  }

  private static boolean isAnns(Path file) {
    return SegmentName.parse(file)
        .flatMap(SegmentName::owner)
        .filter(new Owner(users.ann())::equals)
        .isPresent();
  }
}
