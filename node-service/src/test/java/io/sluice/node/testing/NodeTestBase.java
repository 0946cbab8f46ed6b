package io.sluice.node.testing;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.node.client.NodeReader;
import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.client.NodeRun;
import io.sluice.node.client.Transports;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.service.ApplicationUsers;
import io.sluice.node.service.NodeService;
import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceContext.Probes;
import io.sluice.node.socket.SocketClient;
import io.sluice.node.socket.SocketClient.SegmentAccess;
import io.sluice.node.wire.JobSecret;
import io.sluice.node.wire.NodeAddress;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.testing.TestOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A node service and its readers; a test that leaks a thread, a mapping or memory fails. */
@Timeout(300)
public abstract class NodeTestBase {
  /** Long enough for a busy machine, short enough to see a hang. */
  protected static final long TIMEOUT_MS = 120_000;

  /** The application of most outputs. */
  protected static final String APP = "application_1_0001";

  /** Its secret. */
  protected static final JobSecret SECRET =
      new JobSecret("secret".getBytes(StandardCharsets.US_ASCII));

  /** What readers read with unless they say otherwise. */
  protected static final int WINDOW_BYTES = 64 << 10;

  private static final int LOCATING_TRIES = 20;

  /** What services bounce through: so many windows. */
  protected static final int BOUNCE_SLOTS = 4;

  /** Where services listen. */
  protected static final InetAddress LOOPBACK = InetAddress.getLoopbackAddress();

  /** The service's, and everything else's. */
  @TempDir protected Path directory;

  /** The running service, closed after the test. */
  protected NodeService service;

  private static final ApplicationUsers OWN_TASKS =
      new ApplicationUsers() {
        @Override
        public boolean isHere(String applicationId) {
          return true;
        }

        @Override
        public Optional<Owner> expected(String applicationId) throws IOException {
          return Optional.of(Owner.ofThisProcess());
        }
      };

  private ConnectionLimits limits = ConnectionLimits.DEFAULT;
  private LeakCheck leaks;

  @BeforeEach
  void openBooks() {
    leaks = new LeakCheck();
  }

  @AfterEach
  void checkLeaks() throws Exception {
    if (service != null) {
      service.close();
    }
    leaks.check();
  }

  /** A random whose seed is in the output of the test. */
  protected static Random seeded(String test) {
    return new Random(TestSeed.next(test));
  }

  /** Where services keep their things. */
  protected Path home() {
    return directory.resolve("service");
  }

  /** A service on free ports with these transports, and a pool of so many segments. */
  protected ServiceContext inMemory(int segments, TransportProvider... transports) {
    return with(TestService.inMemory(home(), segments), transports);
  }

  /** The same with a disk tier. */
  protected ServiceContext withDisk(int segments, TransportProvider... transports) {
    return with(TestService.withDisk(home(), segments), transports);
  }

  private ServiceContext with(ServiceContext builder, TransportProvider... transports) {
    if (access() == SegmentAccess.DESCRIPTORS) {
      builder.users(OWN_TASKS);
    }
    return builder
        .transports(List.of(transports))
        .listen(LOOPBACK, 0)
        .bounceSlots(WINDOW_BYTES, BOUNCE_SLOTS)
        .limits(limits)
        .probes(Probes.CONFINED);
  }

  /** How tasks get at the segments of services. */
  protected SegmentAccess access() {
    return SegmentAccess.NAMES;
  }

  /** How many connections services take that are started from now on. */
  protected void limit(ConnectionLimits limits) {
    this.limits = limits;
  }

  /** Starts the service over tcp, with a pool of so many segments and a disk tier. */
  protected void start(int segments) throws IOException {
    service = NodeService.start(withDisk(segments, new TcpProvider()));
  }

  /** A task of this application on the node. */
  protected SocketClient task(String applicationId) throws IOException {
    return SocketClient.connect(
        service.metadata().address().socket(),
        SeenFromElsewhere.owner(access()),
        applicationId,
        SECRET,
        TIMEOUT_MS);
  }

  /** Writes and commits it. */
  protected void commit(TestOutput output) throws IOException {
    try (SocketClient task = task(APP)) {
      output.commit(APP, task);
    }
  }

  /** Where readers ask. */
  protected NodeAddress address() {
    return new NodeAddress(
        "node1", new InetSocketAddress(LOOPBACK, service.metadata().address().controlPort()));
  }

  /** A reader with so many windows. */
  protected NodeReader reader(
      int windows, UUID localPoolId, long timeoutMs, TransportProvider... transports) {
    return new NodeReader(
        APP,
        SECRET,
        new Transports(List.of(transports), WINDOW_BYTES, (long) windows * WINDOW_BYTES),
        localPoolId == null
            ? null
            : new LocalPool(localPoolId, service.store().paths(), SegmentOpener.BY_NAME),
        Timeouts.all(timeoutMs));
  }

  /** A reader over tcp. */
  protected NodeReader tcpReader(int windows) {
    return reader(windows, null, TIMEOUT_MS, new TcpProvider());
  }

  /** The one run of an output with one partition. */
  protected NodeRun locateOnly(NodeReader reader, String outputId) throws IOException {
    return reader.locate(address(), PartitionRange.one(0), List.of(outputId)).get(outputId).get(0);
  }

  /** The same with a reader that has little time: an answer that is late is asked for again. */
  protected NodeRun locatePatiently(NodeReader reader, String outputId) throws IOException {
    for (int tries = 1; ; tries++) {
      try {
        return locateOnly(reader, outputId);
      } catch (SocketTimeoutException e) {
        if (tries == LOCATING_TRIES) {
          throw e;
        }
      }
    }
  }

  /** Reads to the end and closes. */
  protected static byte[] readAll(NodeRun run) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[10_000];
    try (RunInput input = run.input()) {
      for (int n = input.read(buffer, 0, buffer.length);
          n >= 0;
          n = input.read(buffer, 0, buffer.length)) {
        bytes.write(buffer, 0, n);
      }
    }
    return bytes.toByteArray();
  }

  /** Reads so many bytes. */
  protected static byte[] readSome(NodeRun run, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    int done = 0;
    while (done < lengthBytes) {
      int n = run.input().read(bytes, done, lengthBytes - done);
      if (n < 0) {
        throw new AssertionError("ended after " + done + " of " + lengthBytes + " bytes");
      }
      done += n;
    }
    return bytes;
  }

  /** Every partition of every output, compared byte for byte. */
  protected void assertReads(NodeReader reader, List<TestOutput> outputs) throws IOException {
    int partitions = outputs.stream().mapToInt(TestOutput::partitionCount).max().orElse(0);
    for (int p = 0; p < partitions; p++) {
      int partition = p;
      List<TestOutput> having =
          outputs.stream().filter(output -> partition < output.partitionCount()).toList();
      Map<String, List<NodeRun>> located =
          reader.locate(
              address(), PartitionRange.one(p), having.stream().map(TestOutput::id).toList());
      for (TestOutput output : having) {
        List<byte[]> expected = output.of(p);
        List<byte[]> actual = new ArrayList<>();
        for (NodeRun run : located.get(output.id())) {
          actual.add(readAll(run));
        }
        assertEquals(expected.size(), actual.size(), "runs of partition " + p);
        for (int i = 0; i < expected.size(); i++) {
          assertArrayEquals(expected.get(i), actual.get(i), output.id() + " partition " + p);
        }
      }
    }
  }
}
