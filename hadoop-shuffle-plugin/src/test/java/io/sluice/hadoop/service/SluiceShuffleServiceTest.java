package io.sluice.hadoop.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.hadoop.conf.NodeSettings;
import io.sluice.hadoop.node.NodeManagerPlan;
import io.sluice.hadoop.task.NodeLink;
import io.sluice.hadoop.testing.LogLines;
import io.sluice.hadoop.testing.TestJob;
import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.NodeMetadata;
import io.sluice.node.wire.RemoteError;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.memory.Borrower;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import javax.crypto.SecretKey;
import javax.crypto.spec.SecretKeySpec;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.apache.commons.io.FileUtils;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.api.records.ApplicationAttemptId;
import org.apache.hadoop.yarn.api.records.ApplicationId;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.api.ApplicationTerminationContext;
import org.apache.hadoop.yarn.server.api.ContainerInitializationContext;
import org.apache.hadoop.yarn.util.AuxiliaryServiceHelper;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The service as a NodeManager runs it. */
@Timeout(300)
final class SluiceShuffleServiceTest {
  private static final int TIMEOUT_MS = 120_000;
  private static final String BEAN = "Hadoop:service=NodeManager,name=SluiceShuffle";

  @TempDir Path directory;
  private final YarnConfiguration conf = new YarnConfiguration();
  private int controlPort;

  @BeforeEach
  void configure() throws IOException {
    controlPort = freePorts();
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, controlPort - 1);
    conf.setInt(NodeSettings.PORT_OFFSET.name(), 1);
    conf.set(NodeSettings.POOL_DIR.name(), directory.resolve("node").toString());
    conf.setInt(NodeSettings.POOL_CAPACITY_MB.name(), 8);
    conf.setInt(NodeSettings.POOL_SEGMENT_MB.name(), 4);
    conf.set(NodeSettings.POOL_OVERFLOW_DIRS.name(), "none");
    conf.set(NodeSettings.TRANSPORT.name(), "tcp");
  }

  /** The first port of three groups that are free. */
  private static int freePorts() throws IOException {
    while (true) {
      int first = FreePorts.inARow(2);
      try (ServerSocket second = new ServerSocket(first + 1_000);
          ServerSocket behindIt = new ServerSocket(first + 1_001);
          ServerSocket third = new ServerSocket(first + 2_000)) {
        if (second.isBound() && behindIt.isBound() && third.isBound()) {
          return first;
        }
      } catch (BindException e) {
        continue; // another test has one
      }
    }
  }

  private SluiceShuffleService start(boolean recovery) {
    SluiceShuffleService service = new SluiceShuffleService();
    if (recovery) {
      service.setRecoveryPath(
          new org.apache.hadoop.fs.Path(
              directory.resolve("nm/nm-aux-services/sluice_shuffle").toString()));
    }
    service.init(conf);
    service.start();
    return service;
  }

  /** What its containers find in theirs. */
  static Map<String, String> environment(SluiceShuffleService service) {
    Map<String, String> environment = new HashMap<>();
    AuxiliaryServiceHelper.setServiceDataIntoEnv(
        SluiceShuffleService.NAME, service.getMetaData(), environment);
    return environment;
  }

  private static void commitOutput(SluiceShuffleService service) throws IOException {
    NodeMetadata metadata = NodeMetadata.find(environment(service));
    try (SocketClient client =
            NodeLink.connect(
                metadata, TestJob.ID, Borrower.PROCESS, TestJob.SECRET, Timeouts.all(TIMEOUT_MS));
        OutputWriter writer = new OutputWriter(client, new PlainMedium(), 1, 1 << 20)) {
      writer.beginRun(0);
      writer.write(new byte[100], 0, 100);
      writer.endRun(100, 1);
      writer.commit(new OutputId(TestJob.APPLICATION, "output"));
    }
  }

  private static NodeReader reader() {
    return new NodeReader(
        TestJob.APPLICATION,
        NodeLink.jobSecret(TestJob.SECRET),
        new Transports(List.of(new TcpProvider()), 1 << 16, 1 << 20),
        null,
        Timeouts.all(TIMEOUT_MS));
  }

  private List<NodeRun> locate(NodeReader reader) throws IOException {
    NodeAddress address =
        new NodeAddress(
            "node", new InetSocketAddress(InetAddress.getLoopbackAddress(), controlPort));
    return reader.locate(address, PartitionRange.one(0), List.of("output")).get("output");
  }

  private int locatedRuns() throws IOException {
    try (NodeReader reader = reader()) {
      List<NodeRun> runs = locate(reader);
      return runs == null ? 0 : runs.size();
    }
  }

  private void readOutput() throws IOException {
    try (NodeReader reader = reader();
        RunInput input = locate(reader).get(0).input()) {
      byte[] bytes = new byte[200];
      int doneBytes = 0;
      for (int n = 0; n >= 0; n = input.read(bytes, doneBytes, bytes.length - doneBytes)) {
        doneBytes += n;
      }
      assertEquals(100, doneBytes);
    }
  }

  @Test
  void servesAtThePortBehindStocks() throws IOException {
    SluiceShuffleService service = start(false);
    NodeMetadata metadata = NodeMetadata.find(environment(service));
    assertTrue(metadata.isRunning());
    assertEquals(controlPort, metadata.address().controlPort());
    assertEquals(directory.resolve("node"), metadata.address().socket().getParent());
    commitOutput(service);
    assertEquals(1, locatedRuns());
    service.stop();
  }

  /** As {@code auto} decides where containers run as others. */
  @ParameterizedTest
  @CsvSource({
    "auto, DefaultContainerExecutor, rwx------",
    "auto, LinuxContainerExecutor, rwx--x--x",
    "own, LinuxContainerExecutor, rwx------",
    "all, DefaultContainerExecutor, rwx--x--x"
  })
  void letsOtherUsersComeWhereTheyAreServed(String users, String executor, String mode)
      throws IOException {
    conf.set(NodeSettings.USERS.name(), users);
    conf.set(
        YarnConfiguration.NM_CONTAINER_EXECUTOR,
        "org.apache.hadoop.yarn.server.nodemanager." + executor);
    SluiceShuffleService service = start(false);
    assertEquals(
        mode,
        PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("node"))));
    commitOutput(service);
    service.stop();
  }

  @Test
  void tellsOverJmxWhatItHoldsWhileItRuns() throws Exception {
    ObjectName name = new ObjectName(BEAN);
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    SluiceShuffleService service = start(false);
    commitOutput(service);
    assertEquals(true, beans.getAttribute(name, "Running"));
    assertEquals(1, beans.getAttribute(name, "Outputs"));
    assertTrue((long) beans.getAttribute(name, "MemoryUsedBytes") > 0);
    assertEquals(0L, beans.getAttribute(name, "BounceRegisteredBytes")); // tcp needs none
    assertEquals(0L, beans.getAttribute(name, "BouncedBytes"));
    assertEquals(0L, count(beans, name, "FailedReads", "tcp"));
    assertEquals(0L, count(beans, name, "TaskRefusals", "wrong-secret"));
    assertThrows(IOException.class, () -> connectWithAnotherSecret(service));
    assertEquals(1L, count(beans, name, "TaskRefusals", "wrong-secret"));
    assertEquals(0L, count(beans, name, "TaskRefusals", "wrong-user"));
    service.stop();
    assertFalse(beans.isRegistered(name));
  }

  @Test
  void tellsOverJmxAllMetricsByTheirNames() throws Exception {
    SluiceShuffleService service = start(false);
    commitOutput(service);
    readOutput();
    String sent = "{transport=\"tcp\",way=\"sent\"}";
    Await.until( // the reader has its bytes before the server has counted them
        "the read is counted", () -> metrics().get("sluice_served_seconds_count" + sent) == 1);
    Map<String, Double> metrics = metrics();
    double heldBytes = metrics.get("sluice_memory_held_bytes{kind=\"send\"}");
    assertTrue(heldBytes >= 100, metrics.toString());
    Map<String, Double> expected =
        Map.of(
            "sluice_serving",
            1.0,
            "sluice_outputs",
            1.0,
            "sluice_memory_capacity_bytes",
            (double) (8 << 20),
            "sluice_memory_free_bytes",
            (8 << 20) - heldBytes,
            "sluice_memory_revoked_bytes_total{kind=\"receive\"}",
            0.0,
            "sluice_moved_bytes_total",
            0.0,
            "sluice_memory_wait_seconds_count",
            0.0,
            "sluice_served_bytes_total" + sent,
            100.0,
            "sluice_application_bytes{user=\"%s\",application=\"%s\",tier=\"memory\"}"
                .formatted(Owner.ofThisProcess(), TestJob.APPLICATION),
            heldBytes);
    expected.forEach((name, value) -> assertEquals(value, metrics.get(name), name));
    double granted = metrics.get("sluice_memory_granted_bytes_total{kind=\"writing\"}");
    assertTrue(granted >= heldBytes, metrics.toString());
    double median = quantile(metrics, "0.5");
    assertTrue(median > 0 && median < quantile(metrics, "0.99"), metrics.toString());
    assertTrue(metrics.get("sluice_served_seconds_sum" + sent) > 0, metrics.toString());
    assertFalse(metrics.containsKey("sluice_memory_wait_seconds{quantile=\"0.5\"}"));
    service.stop();
  }

  private static double quantile(Map<String, Double> metrics, String quantile) {
    return metrics.get(
        "sluice_served_seconds{transport=\"tcp\",way=\"sent\",quantile=\"" + quantile + "\"}");
  }

  @Test
  void tellsOverJmxOnlyThatItDoesNotServeWhereItCannot() {
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 0);
    SluiceShuffleService degraded = start(false);
    assertEquals(Map.of("sluice_serving", 0.0), metrics());
    degraded.stop();
  }

  @Test
  void saysInOneLineWhyItDoesNotServe() {
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 0);
    try (LogLines log = new LogLines()) {
      start(false).stop();
      assertEquals(
          List.of(
              "ERROR Sluice does not serve on this node, whose tasks use stock's shuffle:"
                  + " mapreduce.shuffle.port is 0, so that reducers could not know where Sluice"
                  + " listens; set a fixed port"),
          log.with("serve on this node"));
    }
  }

  /** As any client of JMX gets them. */
  private static Map<String, Double> metrics() {
    try {
      TabularData table =
          (TabularData)
              ManagementFactory.getPlatformMBeanServer()
                  .getAttribute(new ObjectName(BEAN), "Metrics");
      return table.values().stream()
          .map(CompositeData.class::cast)
          .collect(
              Collectors.toMap(row -> (String) row.get("key"), row -> (Double) row.get("value")));
    } catch (JMException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void tellsOverJmxWhoHoldsItsMemory() throws Exception {
    ObjectName name = new ObjectName(BEAN);
    MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
    SluiceShuffleService service = start(false);
    NodeMetadata metadata = NodeMetadata.find(environment(service));
    Borrower reducer = Borrower.reduce("attempt_1_r_7");
    try (SocketClient task =
        NodeLink.connect(metadata, TestJob.ID, reducer, TestJob.SECRET, Timeouts.all(TIMEOUT_MS))) {
      task.lease(100_000);
      CompositeData[] rows = (CompositeData[]) beans.getAttribute(name, "MemoryHolders");
      assertEquals(1, rows.length);
      assertEquals(TestJob.APPLICATION, rows[0].get("application"));
      assertEquals("attempt_1_r_7", rows[0].get("task"));
      assertTrue((long) rows[0].get("writingBytes") >= 100_000, rows[0].toString());
      assertEquals(rows[0].get("writingBytes"), rows[0].get("bytes"));
    }
    service.stop();
  }

  private static Object count(MBeanServer beans, ObjectName name, String attribute, String key)
      throws JMException {
    TabularData counts = (TabularData) beans.getAttribute(name, attribute);
    return counts.get(new Object[] {key}).get("value");
  }

  private static void connectWithAnotherSecret(SluiceShuffleService service) throws IOException {
    SecretKey other = new SecretKeySpec(new byte[] {1, 2, 3}, "HmacSHA1");
    NodeLink.connect(
            NodeMetadata.find(environment(service)),
            TestJob.ID,
            Borrower.PROCESS,
            other,
            Timeouts.all(TIMEOUT_MS))
        .close();
  }

  /** It may be told of them before it has started, and where it cannot serve. */
  @Test
  void aContainersStartIsNoErrorAtAnyTime() {
    ContainerInitializationContext container =
        new ContainerInitializationContext(
            "ann",
            ContainerId.newContainerId(
                ApplicationAttemptId.newInstance(ApplicationId.fromString(TestJob.APPLICATION), 1),
                1),
            Resource.newInstance(1, 1));
    SluiceShuffleService service = new SluiceShuffleService();
    service.initializeContainer(container);
    service.init(conf);
    service.start();
    service.initializeContainer(container);
    service.stop();
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 0);
    SluiceShuffleService degraded = start(false);
    degraded.initializeContainer(container);
    degraded.stop();
  }

  @Test
  void onlyItsUserMayLookIntoItsDirectory() throws IOException {
    Files.createDirectory(directory.resolve("node"));
    Files.setPosixFilePermissions(
        directory.resolve("node"), PosixFilePermissions.fromString("rwxrwxrwx"));
    start(false).stop();
    assertEquals(
        "rwx------",
        PosixFilePermissions.toString(Files.getPosixFilePermissions(directory.resolve("node"))));
  }

  @Test
  void endOfTheApplicationFreesItsOutputs() throws IOException {
    SluiceShuffleService service = start(false);
    commitOutput(service);
    service.stopApplication(
        new ApplicationTerminationContext(ApplicationId.fromString(TestJob.APPLICATION)));
    awaitUnknown();
    service.stopApplication(new ApplicationTerminationContext(ApplicationId.newInstance(1, 1)));
    service.stop();
  }

  /** It is freed on a thread of the service. */
  private void awaitUnknown() {
    Await.until(
        "the application is forgotten",
        () -> {
          try {
            return locatedRuns() < 0;
          } catch (RemoteError e) {
            return e.code() == RemoteError.Code.UNKNOWN_APPLICATION;
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
        });
  }

  /** Spark's second attempt has a secret of its own, and is known beside the first. */
  @Test
  void endOfTheApplicationFreesWhatFurtherAttemptsHave() throws IOException {
    SluiceShuffleService service = start(false);
    NodeMetadata metadata = NodeMetadata.find(environment(service));
    String second = TestJob.APPLICATION + "_2";
    String another = TestJob.APPLICATION + "2_2";
    JobSecret secret = new JobSecret(new byte[32]);
    commitOutput(service);
    for (String id : List.of(second, another)) {
      SocketClient.connect(metadata.address().socket(), metadata.owner(), id, secret, TIMEOUT_MS)
          .close();
    }
    service.stopApplication(
        new ApplicationTerminationContext(ApplicationId.fromString(TestJob.APPLICATION)));
    awaitUnknown();
    for (String id : List.of(second, another)) {
      try (NodeReader reader =
          new NodeReader(
              id,
              secret,
              new Transports(List.of(new TcpProvider()), 1 << 16, 1 << 20),
              null,
              Timeouts.all(TIMEOUT_MS))) {
        if (id.equals(second)) {
          RemoteError e = assertThrows(RemoteError.class, () -> locate(reader));
          assertEquals(RemoteError.Code.UNKNOWN_APPLICATION, e.code());
        } else {
          assertNull(locate(reader));
        }
      }
    }
    service.stop();
  }

  @Test
  void outputsOutliveARestartOfANodeManagerThatRecovers() throws IOException {
    SluiceShuffleService first = start(true);
    commitOutput(first);
    first.stop();
    SluiceShuffleService second = start(true);
    assertEquals(1, locatedRuns());
    second.stop();
  }

  /** As after a repair, or on a replaced disk: nobody would tell of the end of applications. */
  @ParameterizedTest
  @ValueSource(strings = {"nm", "nm/yarn-nm-state"})
  void nothingOutlivesTheLossOfWhatTheNodeManagerKnew(String lost) throws IOException {
    conf.set(YarnConfiguration.NM_RECOVERY_DIR, directory.resolve("nm").toString());
    makeYarnState(1_000);
    SluiceShuffleService first = start(true);
    commitOutput(first);
    first.stop();
    SluiceShuffleService second = start(true);
    assertEquals(1, locatedRuns());
    second.stop();
    FileUtils.deleteDirectory(directory.resolve(lost).toFile());
    makeYarnState(2_000);
    SluiceShuffleService third = start(true);
    RemoteError e = assertThrows(RemoteError.class, this::locatedRuns);
    assertEquals(RemoteError.Code.UNKNOWN_APPLICATION, e.code());
    commitOutput(third);
    third.stop();
    SluiceShuffleService fourth = start(true);
    assertEquals(1, locatedRuns());
    fourth.stop();
  }

  private void makeYarnState(long madeMs) throws IOException {
    Path state = Files.createDirectories(directory.resolve("nm/yarn-nm-state"));
    Path lock = Files.createFile(state.resolve("LOCK"));
    Files.setLastModifiedTime(lock, FileTime.fromMillis(madeMs));
  }

  /** Its NodeManager knows other applications. */
  @Test
  void nothingIsRecoveredOfAnotherPool() throws IOException {
    SluiceShuffleService first = start(true);
    commitOutput(first);
    first.stop();
    Path ofAnother = directory.resolve("node-of-another");
    Files.move(directory.resolve("node"), ofAnother);
    FileUtils.deleteDirectory(directory.resolve("nm").toFile());
    start(true).stop();
    FileUtils.deleteDirectory(directory.resolve("node").toFile());
    Files.move(ofAnother, directory.resolve("node"));
    SluiceShuffleService last = start(true);
    assertThrows(RemoteError.class, this::locatedRuns);
    last.stop();
  }

  /** Readers and the names of files look for it there. */
  @Test
  void aRestartedServiceComesBackToItsPort() throws IOException {
    SluiceShuffleService first;
    try (ServerSocket taken = new ServerSocket(controlPort)) {
      first = start(true);
      assertTrue(taken.isBound());
    }
    first.stop();
    SluiceShuffleService second = start(true);
    int port = NodeMetadata.find(environment(second)).address().controlPort();
    assertEquals(controlPort + 1_000, port);
    second.stop();
  }

  @ParameterizedTest
  @ValueSource(strings = {"sluice.lab.hugetlbfs", "sluice.lab.devdax"})
  void aPlaceThatHoldsNoFilesHasThePoolAlone(String property) throws IOException {
    String place = System.getProperty(property, "");
    Assumptions.assumeFalse(
        place.isEmpty(), "there is no such place here: " + property + " is not set");
    conf.set(NodeSettings.POOL_DIR.name(), place);
    SluiceShuffleService first = start(true);
    NodeMetadata metadata = NodeMetadata.find(environment(first));
    assertTrue(metadata.pool().startsWith(place), metadata.pool().toString());
    Path standard = metadata.address().socket().getParent();
    assertEquals(Path.of("/dev/shm"), standard.getParent());
    try {
      commitOutput(first);
      first.stop();
      SluiceShuffleService second = start(true);
      assertEquals(1, locatedRuns());
      second.stop();
      start(false).stop();
      assertTrue(Files.exists(Path.of(place)), "a device, or a directory, is left");
      assertFalse(Files.isDirectory(metadata.pool()), "memory is given back");
    } finally {
      FileUtils.deleteDirectory(standard.toFile());
    }
  }

  @Test
  void nothingOutlivesARestartWithoutRecovery() throws IOException {
    SluiceShuffleService first = start(false);
    commitOutput(first);
    first.stop();
    assertFalse(Files.exists(directory.resolve("node/pool")), "memory is given back");
    SluiceShuffleService second = start(false);
    assertThrows(RemoteError.class, this::locatedRuns);
    second.stop();
  }

  private void assertDegrades(String reason) {
    SluiceShuffleService service = start(false);
    IOException e = assertThrows(IOException.class, () -> NodeMetadata.find(environment(service)));
    assertTrue(e.getMessage().contains("could not start: "), e.getMessage());
    assertTrue(e.getMessage().contains(reason), e.getMessage());
    service.stopApplication(new ApplicationTerminationContext(ApplicationId.newInstance(1, 1)));
    service.stop();
  }

  /** That of control connections, or one behind it. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void servesFurtherOnWhereAPortIsTaken(int behind) throws IOException {
    try (ServerSocket taken = new ServerSocket(controlPort + behind)) {
      SluiceShuffleService service = start(true);
      NodeMetadata metadata = NodeMetadata.find(environment(service));
      assertEquals(controlPort + 1_000, metadata.address().controlPort(), taken.toString());
      commitOutput(service);
      controlPort += 1_000;
      assertEquals(1, locatedRuns());
      service.stop();
    }
  }

  @Test
  void degradesWhereAllItsPortsAreTaken() throws IOException {
    try (ServerSocket first = new ServerSocket(controlPort);
        ServerSocket second = new ServerSocket(controlPort + 1_000);
        ServerSocket third = new ServerSocket(controlPort + 2_000)) {
      assertDegrades("in use");
      assertTrue(first.isBound() && second.isBound() && third.isBound());
    }
    start(false).stop();
    assertTrue(Files.exists(directory.resolve("node")), "and starts once they are free");
  }

  @Test
  void theDiskTierIsInYarnsDirectoriesHoweverTheyAreWritten() throws IOException {
    Path byUri = Files.createDirectory(directory.resolve("by-uri"));
    Path byPath = Files.createDirectory(directory.resolve("by-path"));
    conf.unset(NodeSettings.POOL_OVERFLOW_DIRS.name());
    conf.set(YarnConfiguration.NM_LOCAL_DIRS, byUri.toUri() + "," + byPath);
    SluiceShuffleService service = start(false);
    assertTrue(Files.isDirectory(byUri.resolve("sluice-overflow")));
    assertTrue(Files.isDirectory(byPath.resolve("sluice-overflow")));
    service.stop();
  }

  @ParameterizedTest
  @CsvSource({
    "sluice.pool.dir, hdfs://name/pool",
    "sluice.pool.dir, pool",
    "sluice.pool.overflow-dirs, s3a://bucket/overflow",
    "sluice.pool.overflow-dirs, overflow",
    "yarn.nodemanager.local-dirs, hdfs://name/local"
  })
  void degradesOnADirectoryThatIsNotOfThisHost(String setting, String value) {
    if (setting.startsWith("yarn")) {
      conf.unset(NodeSettings.POOL_OVERFLOW_DIRS.name());
    }
    conf.set(setting, value);
    assertDegrades("%s has '%s', expected an absolute path".formatted(setting, value));
  }

  @Test
  void thePoolsDirectoryMayBeAUri() throws IOException {
    conf.set(NodeSettings.POOL_DIR.name(), directory.resolve("node").toUri().toString());
    SluiceShuffleService service = start(false);
    commitOutput(service);
    assertEquals(1, locatedRuns());
    assertTrue(Files.isDirectory(directory.resolve("node/pool")));
    service.stop();
  }

  @Test
  void degradesWithoutAFixedPortOfStock() {
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 0);
    assertDegrades("mapreduce.shuffle.port is 0");
  }

  @Test
  void degradesBehindTheLastPort() {
    conf.setInt(NodeManagerPlan.SHUFFLE_PORT, 65_535);
    assertDegrades("leaves no room");
  }

  @Test
  void degradesWhereItsDirectoryIsAFile() throws IOException {
    Files.createFile(directory.resolve("node"));
    assertDegrades("node");
  }

  @Test
  void degradesWhereItsDirectoryIsALink() throws IOException {
    Files.createDirectory(directory.resolve("elsewhere"));
    Files.createSymbolicLink(directory.resolve("node"), directory.resolve("elsewhere"));
    assertDegrades("sluice.pool.dir");
  }

  @Test
  void degradesWhereItsPoolIsInUse() {
    SluiceShuffleService first = start(false);
    conf.setInt(NodeSettings.PORT_OFFSET.name(), 500);
    assertDegrades("in use by another store");
    first.stop();
  }

  @ParameterizedTest
  @CsvSource({
    "sluice.pool.capacity-mb, lots",
    "sluice.pool.segment-mb, 0",
    "sluice.service.port-offset, 0",
    "sluice.service.transport, carrier-pigeon",
    "sluice.service.data-address, ib99",
    "sluice.service.users, ann",
    "sluice.service.verbs-traffic-class, 256",
    "sluice.service.verbs-mtu, 1500",
    "sluice.pool.medium, papyrus"
  })
  void degradesOnASettingThatIsNone(String key, String value) {
    conf.set(key, value);
    assertDegrades(value);
  }

  @Test
  void degradesWhereItsMemoryIsSaidInTwoWays() {
    conf.setInt(NodeSettings.NODE_MEMORY_MB.name(), 64);
    assertDegrades("sluice.pool.capacity-mb and sluice.node.memory-mb are both set");
  }

  @Test
  void degradesWhereTheMachineHasLessMemory() {
    conf.unset(NodeSettings.POOL_CAPACITY_MB.name());
    conf.setInt(NodeSettings.NODE_MEMORY_MB.name(), 1 << 24);
    assertDegrades("sluice.node.memory-mb is more than this machine has");
  }

  /** Whoever restricted the service by it must not find it unrestricted. */
  @Test
  void degradesOnANameThatIsReadNoMore() {
    conf.set("sluice.transport", "tcp");
    assertDegrades("sluice.transport is now called");
  }

  @Test
  void saysSomethingBeforeItIsStarted() {
    SluiceShuffleService service = new SluiceShuffleService();
    assertThrows(IOException.class, () -> NodeMetadata.find(environment(service)));
    service.init(conf);
    service.stop();
  }

  /** A NodeManager of Hadoop 3.3 or 3.4 on Java 11: it lives, and its tasks are told. */
  @Test
  void degradesOnAnOlderJava() throws Exception {
    SluiceShuffleService service = new SluiceShuffleService("11");
    String reason;
    try (LogLines log = new LogLines()) {
      service.init(new Configuration());
      service.start();
      service.stopApplication(
          new ApplicationTerminationContext(ApplicationId.fromString(TestJob.APPLICATION)));
      byte[] bytes = new byte[service.getMetaData().remaining()];
      service.getMetaData().get(bytes);
      reason = NodeMetadata.decode(bytes).degradedReason();
      assertEquals(1, log.with(reason).size());
    } finally {
      service.stop();
    }
    assertEquals("it needs Java 17 or later, and this JVM is Java 11", reason);
  }
}
