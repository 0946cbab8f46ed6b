package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.BounceSlots.BounceRange;
import io.sluice.node.remote.BounceSlots.BounceRequest;
import io.sluice.node.service.BounceBuffers.BounceConfig;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.rdma.transport.ClientEndpoint;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.ConnectionLimits;
import io.sluice.rdma.transport.LeakCheck;
import io.sluice.rdma.transport.RegisteredBuffer;
import io.sluice.rdma.transport.Ticket;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.tcp.TcpProvider;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a slot is filled with when the output does not stay where it was found. */
class ReaderSlotsTest {
  private static final InetAddress HERE = InetAddress.getLoopbackAddress();
  private static final String APP = "application_1_0001";
  private static final OutputId ID = new OutputId(APP, "attempt_0");
  private static final int LENGTH_BYTES = 1_000;
  private static final BounceRequest ALL =
      new BounceRequest("rdma", ID.outputId(), 0, 0, 0, LENGTH_BYTES, 0);

  @TempDir Path directory;
  private final Random random = TestSeed.random();
  private final LeakCheck leaks = new LeakCheck();
  private final OpenSegments segments = new OpenSegments();
  private SpillStore store;
  private OwnerEndpoints endpoint;
  private BounceTransports transports;
  private CommittedOutput foundFirst; // once, whatever is held then
  private ReaderSlots slots;

  @BeforeEach
  void open() throws IOException {
    store = SpillStore.open(TestPool.withDisk(directory, 1).build());
    endpoint =
        OwnerEndpoints.open(
            new TcpProvider(), new InetSocketAddress(HERE, 0), ConnectionLimits.DEFAULT, false);
    transports =
        new BounceTransports(Map.of("rdma", endpoint), new BounceConfig(2 * LENGTH_BYTES, 4));
    slots = new ReaderSlots(APP, new Owner(1), this::find, segments, transports);
  }

  private Connection connect(ClientEndpoint client) throws TransportException {
    Owner own = endpoint.own();
    Ticket ticket = endpoint.expect(own, null, Set.of(HERE)).orElseThrow();
    return client.connect(endpoint.address(own), ticket, 120_000);
  }

  @AfterEach
  void close() throws Exception {
    slots.close();
    transports.close();
    endpoint.close();
    segments.removeAll();
    store.close();
    leaks.check();
  }

  private Optional<CommittedOutput> find(OutputId id) {
    CommittedOutput first = foundFirst;
    foundFirst = null;
    return first == null ? store.find(id) : Optional.of(first);
  }

  private byte[] commit(String id) throws IOException {
    TestOutput output = TestOutput.single(random, id, LENGTH_BYTES);
    commit(output);
    return output.runs().get(0);
  }

  private void commit(TestOutput output) throws IOException {
    try (Lease lease = store.openLease(APP)) {
      output.commit(APP, lease);
    }
    store
        .segments()
        .forEach(
            info -> {
              segments.add(store.segment(info.segmentId()).orElseThrow());
              transports.refused("rdma", info, new TransportException("expected by this test"));
            });
  }

  private byte[] bounced() throws Exception {
    return bounced(ALL);
  }

  private byte[] bounced(BounceRequest request) throws Exception {
    int lengthBytes = request.lengthBytes();
    BounceRange range = slots.bounce(request);
    try (ClientEndpoint client = new TcpProvider().openClient();
        RegisteredBuffer window = client.register(ByteBuffer.allocateDirect(lengthBytes));
        Connection connection = connect(client)) {
      connection.read(range.region(), range.offsetBytes(), window, 0, lengthBytes, 120_000).join();
      byte[] bytes = new byte[lengthBytes];
      window.buffer().get(0, bytes);
      return bytes;
    } finally {
      slots.release(range.ticket());
    }
  }

  /** As if it were freed, and its blocks given to another one, right after it was found. */
  @Test
  void aPlaceThatIsGivenBackBeforeItsBytesAreCopiedIsLookedUpAgain() throws Exception {
    assertArrayEquals(commit(ID.outputId()), bounced());
    CommittedOutput former = store.find(ID).orElseThrow();
    store.freeOutput(ID);
    commit("attempt_1"); // where the former one lay
    byte[] now = commit(ID.outputId());
    assertEquals(
        former.extents(), store.find(new OutputId(APP, "attempt_1")).orElseThrow().extents());
    foundFirst = former; // whose runs it knows
    assertArrayEquals(now, bounced());
    foundFirst = former; // of which it knows nothing any more
    assertArrayEquals(now, bounced());
  }

  @Test
  void whatWasFreedMeanwhileIsRefusedAndKeepsNoSlot() throws Exception {
    commit(ID.outputId());
    bounced();
    CommittedOutput former = store.find(ID).orElseThrow();
    store.freeOutput(ID);
    commit("attempt_1");
    foundFirst = former;
    RemoteError e = assertThrows(RemoteError.class, this::bounced);
    assertEquals(RemoteError.Code.REFUSED, e.code());
    assertEquals(0, transports.counters().get("rdma").slotsInUse());
  }

  /** On a disk each read of an index is a turn. The defect was: two for each of these runs. */
  @Test
  void runsOfOnePartitionAreFoundWithoutReadingTheIndexForEach() throws Exception {
    List<byte[]> runs = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      runs.add(new byte[10]);
      random.nextBytes(runs.get(i));
    }
    commit(new TestOutput(ID.outputId(), 1, Collections.nCopies(runs.size(), 0), runs));
    assertArrayEquals(runs.get(0), bounced(request(0, 0, 10)));
    Extent extent = store.find(ID).orElseThrow().extents().get(0);
    long dataBytes = 10L * runs.size();
    try (FileChannel file =
        FileChannel.open(extent.segment().path(), StandardOpenOption.WRITE)) { // its index is gone
      file.write(
          ByteBuffer.allocate((int) (extent.lengthBytes() - dataBytes)),
          extent.offsetBytes() + dataBytes);
    }
    for (int ordinal : new int[] {1, 59, 7, 8, 7}) {
      assertArrayEquals(runs.get(ordinal), bounced(request(ordinal, 0, 10)));
    }
    slots = new ReaderSlots(APP, new Owner(1), this::find, segments, transports);
    assertThrows(CorruptOutputException.class, () -> bounced(request(0, 0, 10)));
  }

  /** The defect was: what a device misread once failed for as long as the reader was connected. */
  @Test
  void anIndexThatWasReadWrongIsReadAgain() throws Exception {
    byte[] run = commit(ID.outputId());
    Extent extent = store.find(ID).orElseThrow().extents().get(0);
    int indexBytes = (int) (extent.lengthBytes() - LENGTH_BYTES);
    long indexOffsetBytes = extent.offsetBytes() + LENGTH_BYTES;
    ByteBuffer index = ByteBuffer.allocate(indexBytes);
    try (FileChannel file =
        FileChannel.open(
            extent.segment().path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      file.read(index, indexOffsetBytes);
      file.write(ByteBuffer.allocate(indexBytes), indexOffsetBytes);
      assertThrows(CorruptOutputException.class, this::bounced);
      file.write(index.flip(), indexOffsetBytes);
    }
    assertArrayEquals(run, bounced());
  }

  private static BounceRequest request(int ordinal, long offsetBytes, int lengthBytes) {
    return new BounceRequest("rdma", ID.outputId(), 0, ordinal, offsetBytes, lengthBytes, 0);
  }

  @Test
  void partsOfARunAreCopiedAcrossItsExtents() throws Exception {
    TestOutput output = TestOutput.single(random, ID.outputId(), 600_000);
    commit(output);
    List<Extent> extents = store.find(ID).orElseThrow().extents();
    assertTrue(extents.size() >= 3, extents.toString());
    long secondBytes = extents.get(0).lengthBytes();
    long thirdBytes = secondBytes + extents.get(1).lengthBytes();
    for (long offsetBytes :
        new long[] {0, secondBytes - LENGTH_BYTES / 2, thirdBytes - 1, thirdBytes, 599_000}) {
      byte[] expected =
          Arrays.copyOfRange(
              output.runs().get(0), (int) offsetBytes, (int) offsetBytes + LENGTH_BYTES);
      assertArrayEquals(expected, bounced(request(0, offsetBytes, LENGTH_BYTES)));
    }
  }
}
