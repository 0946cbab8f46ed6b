package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.node.service.NodeService;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportException.ConnectFailedException;
import io.sluice.rdma.transport.TransportException.ReadTimeoutException;
import io.sluice.rdma.transport.TransportException.RegistrationException;
import io.sluice.rdma.transport.TransportNames;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.testing.TestOutput;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;

/** A reader whose verbs do not work with a node goes on over tcp, and each counts by its name. */
class FallbackToTcpTest extends NodeTestBase {
  private static final int OUTPUTS = 3;
  private static final int OUTPUT_BYTES = 300_000; // 5 windows

  private final List<TestOutput> outputs = new ArrayList<>();
  private final NamedVerbs verbs = new NamedVerbs();

  /** What does not work at the reader. */
  private enum Fault {
    NONE,
    /** The container has no {@code /dev/infiniband}, or no permission there. */
    OPEN,
    /** Another fabric, a firewall, a port without a GID: the exception says which. */
    CONNECT,
    REGISTER,
    /** The sockets connect, but a firewall drops what the NIC sends. */
    READ
  }

  /** tcp, by the name of verbs. */
  private static final class NamedVerbs extends WrappedTcp {
    private Fault fault = Fault.NONE;
    private int faultAfter; // so many times it works
    private int faults;

    private boolean hasFault(Fault here) {
      if (fault != here || faultAfter-- > 0) {
        return false;
      }
      faults++;
      return true;
    }

    @Override
    public String name() {
      return TransportNames.VERBS;
    }

    @Override
    public ClientEndpoint openClient() throws TransportException {
      if (hasFault(Fault.OPEN)) {
        throw new TransportException("cannot open the device, expected by this test");
      }
      return super.openClient();
    }

    @Override
    protected TransportException refusal() {
      return hasFault(Fault.CONNECT)
          ? new ConnectFailedException("cannot connect, expected by this test")
          : null;
    }

    @Override
    protected RegisteredBuffer register(ClientEndpoint below, ByteBuffer direct)
        throws TransportException {
      if (hasFault(Fault.REGISTER)) {
        throw new RegistrationException("cannot pin, expected by this test");
      }
      return super.register(below, direct);
    }

    @Override
    protected CompletableFuture<Void> read(
        Connection below, Supplier<CompletableFuture<Void>> read) {
      if (hasFault(Fault.READ)) {
        below.close(); // as one does whose read is late
        return CompletableFuture.failedFuture(
            new ReadTimeoutException("no answer, expected by this test"));
      }
      return read.get();
    }
  }

  @BeforeEach
  void startAndCommit() throws IOException {
    service = NodeService.start(inMemory(4, verbs, new TcpProvider()));
    for (int i = 0; i < OUTPUTS; i++) {
      outputs.add(TestOutput.single(seeded("fallback " + i), "attempt_" + i, OUTPUT_BYTES));
      commit(outputs.get(i));
    }
  }

  private NodeReader reader() {
    return reader(8, null, TIMEOUT_MS, verbs, new TcpProvider());
  }

  private NodeReader readerOfOneForEachNode() {
    Transports transports =
        new Transports(List.of(verbs, new TcpProvider()), WINDOW_BYTES, (long) 8 * WINDOW_BYTES);
    return new NodeReader(APP, SECRET, transports.oneForEachNode(), null, Timeouts.all(TIMEOUT_MS));
  }

  @Test
  void whatComesOverVerbsCountsAsSuch() throws IOException {
    try (NodeReader reader = reader()) {
      assertReads(reader, outputs);
      assertEquals(Map.of("verbs", (long) OUTPUTS * OUTPUT_BYTES), reader.stats().bytesByWay());
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }

  /** Each fault may cost a deadline, so that it is met no more than twice. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void whatVerbsCannotReadIsReadOverTcp(Fault fault) throws IOException {
    verbs.fault = fault;
    try (NodeReader reader = reader()) {
      assertReads(reader, outputs);
      assertEquals(Map.of("tcp", (long) OUTPUTS * OUTPUT_BYTES), reader.stats().bytesByWay());
      assertEquals(1, reader.stats().transportFallbacks());
      assertEquals(2, verbs.faults);
    }
  }

  @Test
  void eachWayCountsWhatCameOverItIfTheFaultComesLater() throws IOException {
    verbs.fault = Fault.READ;
    verbs.faultAfter = 7;
    try (NodeReader reader = reader()) {
      assertReads(reader, outputs);
      long verbsBytes = OUTPUT_BYTES + 2 * WINDOW_BYTES;
      assertEquals(
          Map.of("verbs", verbsBytes, "tcp", (long) OUTPUTS * OUTPUT_BYTES - verbsBytes),
          reader.stats().bytesByWay());
      assertEquals(1, reader.stats().transportFallbacks());
      assertEquals(2, verbs.faults);
    }
  }

  /** A policy without fallbacks. */
  @ParameterizedTest
  @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
  void whatVerbsCannotReadIsNotReadWhereNothingMayTakeOver(Fault fault) throws IOException {
    verbs.fault = fault;
    try (NodeReader reader = readerOfOneForEachNode()) {
      assertThrows(IOException.class, () -> assertReads(reader, outputs));
      assertEquals(Map.of(), reader.stats().bytesByWay());
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }

  /** Such as one whose administrator wants no RDMA, or one of an older release. */
  @Test
  void aNodeWithoutVerbsIsReadOverTcpEvenThen() throws IOException {
    service.close();
    service = NodeService.start(inMemory(4, new TcpProvider()));
    for (TestOutput output : outputs) {
      commit(output);
    }
    try (NodeReader reader = readerOfOneForEachNode()) {
      assertReads(reader, outputs);
      assertEquals(Map.of("tcp", (long) OUTPUTS * OUTPUT_BYTES), reader.stats().bytesByWay());
    }
  }

  /** The fault may have been mended meanwhile. */
  @Test
  void aReaderThatComesLaterTriesVerbsAgain() throws IOException {
    verbs.fault = Fault.CONNECT;
    try (NodeReader reader = reader()) {
      assertReads(reader, outputs);
      verbs.fault = Fault.NONE;
      assertReads(reader, outputs);
      assertEquals(0, reader.stats().bytes("verbs"), "it was given up for this reader");
    }
    try (NodeReader reader = reader()) {
      assertReads(reader, outputs);
      assertEquals(Map.of("verbs", (long) OUTPUTS * OUTPUT_BYTES), reader.stats().bytesByWay());
    }
  }

  @Test
  void reachingTheNodeGivesUpVerbsAtOnce() throws IOException {
    verbs.fault = Fault.CONNECT;
    try (NodeReader reader = reader()) {
      locateOnly(reader, "attempt_0");
      reader.reach(address());
      assertEquals(1, verbs.faults);
      assertEquals(1, reader.stats().transportFallbacks());
      assertReads(reader, outputs);
      assertEquals(Map.of("tcp", (long) OUTPUTS * OUTPUT_BYTES), reader.stats().bytesByWay());
    }
  }
}
