package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.ReadStats;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.testing.FreePorts;
import io.sluice.node.wire.NodeAddress;
import io.sluice.rdma.testing.ForkedJvm;
import io.sluice.rdma.testing.SoftDevice;
import io.sluice.rdma.transport.DeviceCounters;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * A node service, in this process or another, outputs in its pool, and readers, all with the
 * transports they would choose by themselves.
 *
 * <p>The limit of the whole test is for code that has no deadline.
 */
@Timeout(400) // of an emulated CPU
abstract class VerbsFaultBase extends VerbsReadsBase {
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
    try (SocketClient task =
        SocketClient.connect(home().resolve("control.sock"), APP, SECRET, TIMEOUT_MS)) {
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
      assertEquals(askedBytes, reader.stats().bytes(RDMA), () -> describe(reader.stats()));
      assertEquals(0, reader.stats().transportFallbacks());
    }
    counters.assertReceived(askedBytes);
    reporter.publishEntry("verbs", counters.since(askedBytes));
  }

  /** What was injected and what came of it, for the lab's summary. */
  static void report(TestReporter reporter, String fault, ReadStats stats) {
    reporter.publishEntry("fault", fault + "; reader: " + describe(stats));
  }
}
