package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.ReadStats;
import io.sluice.node.client.Transports;
import io.sluice.node.local.LocalClient;
import io.sluice.node.remote.Partitions;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.TestOutput;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.TransportChooser;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.rdma.transport.ucx.UcxProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * A node service, in this process or another, outputs in its pool, and readers, all with the
 * transports they would choose by themselves.
 *
 * <p>Every deadline of a read is {@link #READ_TIMEOUT_MS}; the limit of the whole test is for code
 * that has none.
 */
@Timeout(400) // of an emulated CPU
abstract class VerbsFaultBase extends NodeTestBase {
  static final String UCX = "ucx";
  static final String TCP = "tcp";

  /** Longer than the NIC tries again, so that the failures seen are the NIC's. */
  static final long READ_TIMEOUT_MS = 20_000;

  static final int OUTPUT_BYTES = 1_500_000;

  /** The same in every process. */
  static final List<TestOutput> OUTPUTS =
      IntStream.range(0, 3)
          .mapToObj(i -> TestOutput.single(new Random(i), "attempt_" + i, OUTPUT_BYTES))
          .toList();

  private static final int WINDOWS = 8;

  SoftDevice device;
  int port;
  ForkedJvm server;
  private int servers;

  @BeforeEach
  void findDevice() throws IOException {
    assumeTrue(SoftDevice.whyNot().isEmpty(), () -> SoftDevice.whyNot().orElseThrow());
    device = SoftDevice.find();
    device.mend();
    port = FreePorts.inARow(3);
  }

  @AfterEach
  void mendDevice() {
    if (server != null) {
      server.close();
    }
    if (device != null) {
      device.mend();
    }
  }

  /** Starts a service in another process, or another one on the pool that the last one left. */
  void startServer(String... wrapper) {
    server =
        new ForkedJvm(
            List.of(wrapper),
            directory.resolve("server" + servers++ + ".log"),
            ServiceMain.class,
            home().toString(),
            device.address().getHostAddress(),
            Integer.toString(port));
    server.awaitLine("ready");
  }

  /** Starts a service in this process and gives it the outputs. */
  void startOwnWithOutputs() throws Exception {
    startOwn();
    commitOutputs();
  }

  /** Starts a service in this process, on the pool that the last one left if there is one. */
  void startOwn() throws Exception {
    service = ServiceMain.start(home(), device.address(), port);
  }

  /** Starts the service in another process and gives it the outputs. */
  void startServerWithOutputs(String... wrapper) throws IOException {
    startServer(wrapper);
    commitOutputs();
  }

  /** Gives the outputs to the service, whichever process it runs in. */
  void commitOutputs() throws IOException {
    try (LocalClient task =
        LocalClient.connect(home().resolve("control.sock"), APP, SECRET, TIMEOUT_MS)) {
      for (TestOutput output : OUTPUTS) {
        output.commit(APP, task);
      }
    }
  }

  /** Starts a reader in another process. */
  ForkedJvm startReader(int rounds, String... wrapper) {
    return new ForkedJvm(
        List.of(wrapper),
        directory.resolve("reader.log"),
        ReaderMain.class,
        device.address().getHostAddress(),
        Integer.toString(port),
        Integer.toString(rounds));
  }

  @Override
  protected NodeAddress address() {
    return new NodeAddress("node1", new InetSocketAddress(device.address(), port));
  }

  /** UCX where it works now, and TCP. */
  static List<TransportProvider> transports() throws TransportException {
    TransportChooser chooser = new TransportChooser(List.of(new UcxProvider(), new TcpProvider()));
    TransportChooser.Choice choice = chooser.choose(TransportChooser.AUTO);
    System.err.println(choice.reason()); // as a NodeManager's and a task's log have it
    return chooser.withFallbacks(choice);
  }

  /** A reader with the transports that work here now. */
  static NodeReader standardReader() throws TransportException {
    return new NodeReader(
        APP,
        SECRET,
        new Transports(transports(), WINDOW_BYTES, (long) WINDOWS * WINDOW_BYTES),
        null,
        1 << 20,
        READ_TIMEOUT_MS,
        READ_TIMEOUT_MS);
  }

  /** Reads an output, and compares every byte. */
  static void readAndCheck(NodeReader reader, NodeAddress address, TestOutput output)
      throws IOException {
    try (NodeRun run =
        reader.locate(address, Partitions.one(0), List.of(output.id())).get(output.id()).get(0)) {
      run.prefetch(WINDOWS);
      assertArrayEquals(output.runs().get(0), readAll(run), output.id());
    }
  }

  /** Reads every output, and compares every byte. */
  void readAndCheckAll(NodeReader reader) throws IOException {
    for (TestOutput output : OUTPUTS) {
      readAndCheck(reader, address(), output);
    }
  }

  /** A new reader reads everything over verbs: by its own count and by the device's. */
  void assertReadsOverVerbs(TestReporter reporter) throws IOException {
    DeviceCounters counters = new DeviceCounters();
    long askedBytes = (long) OUTPUTS.size() * OUTPUT_BYTES;
    try (NodeReader reader = standardReader()) {
      readAndCheckAll(reader);
      assertEquals(askedBytes, reader.stats().bytes(UCX), () -> describe(reader.stats()));
      assertEquals(0, reader.stats().transportFallbacks());
    }
    counters.assertReceived(askedBytes);
    reporter.publishEntry("verbs", counters.since(askedBytes));
  }

  /** What was injected and what came of it, for the lab's summary. */
  static void report(TestReporter reporter, String fault, ReadStats stats) {
    reporter.publishEntry("fault", fault + "; reader: " + describe(stats));
  }

  static String describe(ReadStats stats) {
    return "bytes "
        + stats.bytesByWay()
        + ", retries "
        + stats.retries()
        + ", fallbacks "
        + stats.transportFallbacks();
  }
}
