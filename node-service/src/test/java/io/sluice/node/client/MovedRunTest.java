package io.sluice.node.client;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.client.NodeReader.LocalPool;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.testing.NodeTestBase;
import io.sluice.node.testing.WrappedTcp;
import io.sluice.node.wire.Timeouts;
import io.sluice.rdma.testing.Await;
import io.sluice.rdma.transport.Connection;
import io.sluice.rdma.transport.RegisteredWindows;
import io.sluice.rdma.transport.TransportException;
import io.sluice.rdma.transport.TransportProvider;
import io.sluice.rdma.transport.faulty.FaultKind;
import io.sluice.rdma.transport.faulty.FaultPlan;
import io.sluice.rdma.transport.faulty.FaultyProvider;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.Run;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ChecksumException;
import io.sluice.spill.testing.TestOutput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.FileSystemException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs that are laid elsewhere while they are read: all bytes come, and they are right, or a {@link
 * FetchFailedException} that says damage only of what is damaged. Windows, connections and mappings
 * are given back.
 */
@Tag("slow")
class MovedRunTest extends NodeTestBase {
  private static final String ID = "attempt_0";
  private static final int WINDOW = 1 << 10;
  private static final int BLOCK = BlockChecksums.BLOCK_BYTES;
  private static final long SHORT_MS = 2_000; // to wait for, and for a busy machine
  private static final long ENDLESS_MS = 2_000; // is waited for twice

  /** One byte more than whole windows: the reads of a run are those up to the cut, then these. */
  private static final int RUN_BYTES = MovingNode.CUT_BYTES + 102 * WINDOW + 1;

  private static final int LAST_READ = MovingNode.CUT_BYTES / WINDOW + 1 + 102;

  private final Random random = seeded("MovedRunTest");
  private final byte[] expected = new byte[RUN_BYTES];
  private final BeforeReads tcp = new BeforeReads();
  private MovingNode node;
  private Transports transports;

  /** tcp, and what a test does before the reads of these numbers, which begin at 0. */
  private static final class BeforeReads extends WrappedTcp {
    private final Map<Integer, Runnable> actions = new HashMap<>();
    private final AtomicInteger reads = new AtomicInteger();
    private Runnable always = () -> {};
    private boolean fails;
    private int endlessFrom = Integer.MAX_VALUE; // the first read that does not end
    private final Queue<CompletableFuture<Void>> endless = new ConcurrentLinkedQueue<>();

    @Override
    protected CompletableFuture<Void> read(
        Connection below, Supplier<CompletableFuture<Void>> read) {
      always.run();
      int number = reads.getAndIncrement();
      actions.getOrDefault(number, () -> {}).run();
      if (number >= endlessFrom) {
        CompletableFuture<Void> never = new CompletableFuture<>();
        endless.add(never);
        return never;
      }
      return fails
          ? CompletableFuture.failedFuture(new TransportException("fails for a test"))
          : read.get();
    }
  }

  @BeforeEach
  void open() throws IOException {
    random.nextBytes(expected);
    byte[] small = new byte[10]; // before it in the partition, so that its ordinal is 1
    TestOutput output =
        new TestOutput(ID, 2, List.of(0, 1, 0), List.of(small, small.clone(), expected));
    node = new MovingNode(directory.resolve("pool"), SECRET, output, random);
  }

  @AfterEach
  void close() throws IOException {
    node.close();
  }

  private NodeReader reader(long timeoutMs, LocalPool localPool, TransportProvider... providers) {
    transports = new Transports(List.of(providers), WINDOW, 8L * WINDOW);
    return new NodeReader(APP, SECRET, transports, localPool, Timeouts.all(timeoutMs));
  }

  private NodeRun locate(NodeReader reader) throws IOException {
    return reader.locate(node.address(), PartitionRange.one(0), List.of(ID)).get(ID).get(1);
  }

  /** Reads over tcp, and says how often the node was asked since the run was located. */
  private int assertReads(int windows) throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp);
        NodeRun run = locate(reader)) {
      run.prefetch(windows);
      assertArrayEquals(expected, readAll(run));
      assertEquals(0, reader.stats().transportFallbacks());
      assertEquals(0, transports.pool("tcp").usage().inUse());
      return node.questions() - 1;
    }
  }

  /** Reads over tcp until that fails, after right bytes only. */
  private FetchFailedException assertFails(long timeoutMs) throws IOException {
    try (NodeReader reader = reader(timeoutMs, null, tcp);
        NodeRun run = locate(reader)) {
      FetchFailedException e = assertFails(run);
      assertEquals(0, reader.stats().transportFallbacks());
      assertEquals(0, transports.pool("tcp").usage().inUse());
      return e;
    }
  }

  private FetchFailedException assertFails(NodeRun run) {
    ByteArrayOutputStream seen = new ByteArrayOutputStream();
    FetchFailedException e = assertThrows(FetchFailedException.class, () -> drain(run, seen));
    assertArrayEquals(Arrays.copyOf(expected, seen.size()), seen.toByteArray(), "wrong bytes");
    assertEquals(ID, e.outputId());
    assertTrue(e.getMessage().contains(ID + " partition 0 run 1"), e.getMessage());
    return e;
  }

  private static void drain(NodeRun run, ByteArrayOutputStream seen) throws IOException {
    try (RunInput input = run.input()) {
      byte[] some = new byte[10_000];
      for (int n = 0; n >= 0; n = input.read(some, 0, some.length)) {
        seen.write(some, 0, n);
      }
    }
  }

  /** The first and the last byte, in the middle of a block, where blocks and where ranges end. */
  private static IntStream readsToMoveBefore() {
    return IntStream.of(0, BLOCK / WINDOW, 40, 48, 49, LAST_READ);
  }

  @ParameterizedTest
  @MethodSource("readsToMoveBefore")
  void aRunThatIsElsewhereIsReadOn(int read) throws IOException {
    for (int windows : new int[] {1, 5}) {
      tcp.reads.set(0);
      tcp.actions.put(
          read,
          () -> {
            node.move();
            node.takeFormer();
          });
      int before = node.questions();
      assertEquals(before + 1, assertReads(windows));
    }
  }

  @Test
  void whetherANodeSendsBytesIsKnownBeforeTheyAreRead() throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp);
        NodeRun run = locate(reader)) {
      reader.reach(run.address());
      assertEquals(1, reader.dataConnections());
    }
    node.endData();
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp);
        NodeRun run = locate(reader)) {
      assertThrows(TransportException.class, () -> reader.reach(run.address()));
      assertEquals(0, tcp.reads.get());
    }
  }

  /** Its pool is on this node; so many times this process has no descriptor left. */
  private NodeReader readerOfFullProcess(int times, long restartMs) {
    AtomicInteger left = new AtomicInteger(times);
    LocalPool pool = node.localPool();
    LocalPool full =
        new LocalPool(
            pool.poolId(),
            pool.places(),
            (segment, writable) -> {
              if (left.getAndDecrement() > 0) {
                throw new FileSystemException(
                    segment.path().toString(), null, "Too many open files");
              }
              return pool.opener().open(segment, writable);
            });
    transports = new Transports(List.of(tcp), WINDOW, 8L * WINDOW);
    Timeouts timeouts = new Timeouts(TIMEOUT_MS, restartMs, TIMEOUT_MS);
    return new NodeReader(APP, SECRET, transports, full, timeouts);
  }

  @Test
  void aFileIsOpenedLaterWhereNoDescriptorIsLeft() throws IOException {
    try (NodeReader reader = readerOfFullProcess(3, TIMEOUT_MS);
        NodeRun run = locate(reader)) {
      assertTrue(run.isLocal());
      int before = node.questions();
      assertArrayEquals(expected, readAll(run));
      assertEquals(before, node.questions(), "the node could not help");
    }
  }

  @Test
  void aProcessThatGetsNoDescriptorFailsAndBlamesNoOutput() throws IOException {
    try (NodeReader reader = readerOfFullProcess(Integer.MAX_VALUE, 1);
        NodeRun run = locate(reader)) {
      IOException e = assertThrows(ReaderFailedException.class, () -> readAll(run));
      assertTrue(e.getMessage().contains("Too many open files"), e.getMessage());
    }
  }

  /** The short one, whose bytes come with the answer. */
  private NodeRun fetch(NodeReader reader) throws IOException {
    return reader.fetch(node.address(), PartitionRange.one(0), List.of(ID)).get(ID).get(0);
  }

  private static byte[] flipped(byte[] bytes) {
    bytes[bytes.length - 1] ^= 1;
    return bytes;
  }

  @Test
  void whatCameWithTheAnswerIsNotReadAgain() throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp);
        NodeRun run = fetch(reader)) {
      node.move();
      node.takeFormer();
      assertArrayEquals(new byte[10], readAll(run));
      assertEquals(Map.of(ReadStats.INLINED, 10L), reader.stats().bytesByWay());
    }
    assertEquals(0, tcp.reads.get());
    assertEquals(1, node.questions());
  }

  @Test
  void wrongBytesThatCameWithTheAnswerAreReadWhereTheyLie() throws IOException {
    node.changeInlined(MovedRunTest::flipped);
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp);
        NodeRun run = fetch(reader)) {
      assertArrayEquals(new byte[10], readAll(run));
    }
    assertEquals(1, tcp.reads.get());
  }

  @Test
  void wrongBytesThatCameWithTheAnswerAreReadWhereTheRunHasGone() throws IOException {
    node.changeInlined(MovedRunTest::flipped);
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp);
        NodeRun run = fetch(reader)) {
      node.move();
      node.takeFormer();
      assertArrayEquals(new byte[10], readAll(run));
    }
    assertEquals(1, tcp.reads.get());
  }

  /** The answer comes over it. */
  @Test
  void aReaderThatMayNotUseTcpIsSentNoBytes() throws IOException {
    try (NodeReader reader =
            reader(TIMEOUT_MS, null, new FaultyProvider(tcp, FaultPlan.seeded(0)));
        NodeRun run = fetch(reader)) {
      assertArrayEquals(new byte[10], readAll(run));
      assertEquals(Map.of("faulty-tcp", 10L), reader.stats().bytesByWay());
    }
  }

  /** Mapping them takes longer. */
  @Test
  void aReaderOfTheSameNodeIsSentThemToo() throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS, node.localPool(), tcp);
        NodeRun run = fetch(reader)) {
      assertFalse(run.isLocal());
      assertArrayEquals(new byte[10], readAll(run));
      assertEquals(Map.of(ReadStats.INLINED, 10L), reader.stats().bytesByWay());
    }
    assertEquals(0, tcp.reads.get());
  }

  @Test
  void wrongBytesOfTheSameNodeAreReadWhereTheyLie() throws IOException {
    node.changeInlined(MovedRunTest::flipped);
    try (NodeReader reader = reader(TIMEOUT_MS, node.localPool(), tcp);
        NodeRun run = fetch(reader)) {
      node.move();
      node.takeFormer();
      assertArrayEquals(new byte[10], readAll(run));
    }
    assertEquals(1, tcp.reads.get());
  }

  @Test
  void nothingIsAskedWhileNothingMoves() throws IOException {
    assertEquals(0, assertReads(3));
    try (NodeReader reader = reader(TIMEOUT_MS, node.localPool(), tcp);
        NodeRun run = locate(reader)) {
      assertTrue(run.isLocal());
      assertArrayEquals(expected, readAll(run));
    }
    assertEquals(2, node.questions());
  }

  /** More failures in a row than a transport may have. */
  @Test
  void theTransportIsNotGivenUpForIt() throws IOException {
    for (int read : new int[] {40, 41, 42, 100, 101, 102}) {
      tcp.actions.put(
          read,
          () -> {
            node.move();
            node.takeFormer();
          });
    }
    assertEquals(6, assertReads(1));
  }

  @Test
  void aRunThatMovesForEverIsGivenUpAndNotCalledDamaged() throws IOException {
    tcp.always =
        () -> {
          node.move();
          node.takeFormer();
        };
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("has moved it more than 3 times"), e.getMessage());
    assertFalse(e.getCause() instanceof ChecksumException, "not certain");
    assertEquals(1 + 4, node.questions());
  }

  private static Stream<Named<UnaryOperator<Run>>> otherIdentities() {
    return Stream.of(
        Named.of("absent", run -> run.ordinal() == 1 ? null : run),
        Named.of("length", run -> run(run, run.lengthBytes() - 1, 0, 0, run.checksums())),
        Named.of("raw length", run -> run(run, run.lengthBytes(), 1, 0, run.checksums())),
        Named.of("records", run -> run(run, run.lengthBytes(), 0, 1, run.checksums())),
        Named.of("first checksum", run -> withChecksum(run, 0)),
        Named.of("last checksum", run -> withChecksum(run, run.checksums().furtherCount())));
  }

  private static Run run(
      Run run, long lengthBytes, int moreRaw, int moreRecords, BlockChecksums checksums) {
    return new Run(
        run.partition(),
        run.ordinal(),
        lengthBytes,
        run.rawLengthBytes() + moreRaw,
        0,
        run.records() + moreRecords,
        checksums);
  }

  private static Run withChecksum(Run run, int changed) {
    BlockChecksums of = run.checksums();
    int[] further = new int[of.furtherCount()];
    for (int i = 0; i < further.length; i++) {
      further[i] = of.crc32c(i + 1) ^ (changed == i + 1 ? 1 : 0);
    }
    BlockChecksums checksums = BlockChecksums.of(of.crc32c(0) ^ (changed == 0 ? 1 : 0), further);
    return run(run, run.lengthBytes(), 0, 0, checksums);
  }

  @ParameterizedTest
  @MethodSource("otherIdentities")
  void aRunOfAnotherIdentityIsLost(UnaryOperator<Run> change) throws IOException {
    tcp.actions.put(
        40,
        () -> {
          node.changeIdentity(change);
          node.move();
          node.takeFormer();
        });
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("no longer holds this run"), e.getMessage());
  }

  @Test
  void whatIsGoneIsLost() throws IOException {
    tcp.actions.put(
        40,
        () -> {
          node.forget();
          node.move();
          node.takeFormer();
        });
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("no longer holds this run"), e.getMessage());
    assertEquals(2, node.questions());
  }

  /** Else the node's other outputs would not be asked for. */
  @Test
  void whatIsGoneIsNotCalledDamagedThoughItsBytesWereOverwritten() throws IOException {
    tcp.actions.put(
        40,
        () -> {
          node.forget();
          node.scribbleCurrent();
        });
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("no longer holds this run"), e.getMessage());
    assertFalse(e.getCause() instanceof ChecksumException, "it is lost");
    assertInstanceOf(ChecksumException.class, e.getSuppressed()[0]);
  }

  @Test
  void aSilentServiceIsNoLoss() throws IOException {
    tcp.actions.put(
        40,
        () -> {
          node.move();
          node.takeFormer();
          node.fallSilent();
        });
    FetchFailedException e = assertFails(SHORT_MS);
    assertTrue(e.getMessage().contains("can no longer be asked"), e.getMessage());
    assertFalse(e.getCause() instanceof ChecksumException, "not certain");
  }

  /** Hostile: an answer names a segment, and not where that is. */
  @Test
  void aSegmentThatIsNeverDescribedIsToldAndBlamesNoTransport() throws IOException {
    node.leaveSegmentsOut(true);
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("did not describe"), e.getMessage());
    assertEquals(2, node.questions());
  }

  /** As when it went between two looks of the service. */
  @Test
  void aSegmentThatIsNotDescribedBecauseTheRunHasMovedIsAskedFor() throws IOException {
    node.leaveSegmentsOut(true);
    node.beforeAnswers(
        () -> {
          if (node.questions() > 1) {
            node.move();
            node.leaveSegmentsOut(false);
          }
        });
    assertEquals(1, assertReads(3));
  }

  /** The first answer left it out, and the run has not moved. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aSegmentThatIsDescribedOnlyLaterIsRead(boolean local) throws IOException {
    node.leaveSegmentsOut(true);
    node.beforeAnswers(() -> node.leaveSegmentsOut(node.questions() == 1));
    try (NodeReader reader = reader(TIMEOUT_MS, local ? node.localPool() : null, tcp);
        NodeRun run = locate(reader)) {
      assertEquals(local, run.isLocal());
      run.prefetch(3);
      assertArrayEquals(expected, readAll(run));
      assertEquals(0, reader.stats().transportFallbacks());
    }
    assertEquals(2, node.questions());
  }

  /** Hostile: told and withheld in turn, while the reads fail. */
  @Test
  void aSegmentThatIsDescribedNowAndThenIsGivenUp() throws IOException {
    node.leaveSegmentsOut(true);
    node.beforeAnswers(() -> node.leaveSegmentsOut(node.questions() % 2 == 1));
    tcp.fails = true;
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("more than 3 times"), e.getMessage());
  }

  @Test
  void anAnswerInPartsOfTwoPlacesIsRead() throws IOException {
    node.close();
    int partitions = 700; // more than one request asks for
    TestOutput output = TestOutput.random(random, ID, partitions, 300_000);
    node = new MovingNode(directory.resolve("parts"), SECRET, output, random);
    node.beforeAnswers(node::move);
    try (NodeReader reader = reader(TIMEOUT_MS, null, tcp)) {
      List<NodeRun> runs =
          reader.locate(node.address(), new PartitionRange(0, partitions), List.of(ID)).get(ID);
      assertEquals(2, node.questions());
      int next = 0;
      for (int partition = 0; partition < partitions; partition++) {
        for (byte[] bytes : output.of(partition)) {
          assertArrayEquals(bytes, readAll(runs.get(next++)), "of partition " + partition);
        }
      }
      assertEquals(runs.size(), next);
    }
  }

  @ParameterizedTest
  @MethodSource("readsToMoveBefore")
  void staleBytesAreNeverHandedOn(int read) throws IOException {
    for (int windows : new int[] {1, 5}) {
      tcp.reads.set(0);
      tcp.actions.put(
          read,
          () -> {
            node.move();
            node.scribbleFormer();
          });
      int before = node.questions();
      assertEquals(before + 1, assertReads(windows));
    }
  }

  /** Its first half came from where it no longer lay, and where it lies now was told before. */
  @Test
  void aBlockReadHalfHereAndHalfThereIsReadAgain() throws IOException {
    tcp.actions.put(
        35,
        () -> {
          node.move();
          node.scribbleFormer();
        });
    tcp.actions.put(40, node::takeFormer);
    assertEquals(1, assertReads(1), "that is known without asking");
  }

  @Test
  void damageAtTheSamePlaceIsDamage() throws IOException {
    tcp.actions.put(40, node::scribbleCurrent);
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertInstanceOf(ChecksumException.class, e.getCause());
    assertEquals(3, node.questions(), "where it lies, and then after each of two reads");
  }

  /** The reads ahead do not end, which says nothing about the block that came. */
  @Test
  void damageIsDamageThoughAReadAheadDoesNotEnd() throws IOException {
    tcp.actions.put(10, node::scribbleCurrent);
    tcp.endlessFrom = BLOCK / WINDOW; // the first of the next block
    try (NodeReader reader = reader(ENDLESS_MS, null, tcp);
        NodeRun run = locate(reader)) {
      run.prefetch(2);
      ChecksumException damage =
          assertInstanceOf(ChecksumException.class, assertFails(run).getCause());
      assertInstanceOf(IllegalStateException.class, damage.getSuppressed()[0]);
      tcp.endless.forEach(read -> read.complete(null));
      RegisteredWindows windows = transports.pool("tcp");
      Await.until("all windows to be back", () -> windows.usage().inUse() == 0);
    }
  }

  /** The block is to be read again, but of the window that hangs somebody must hear. */
  @Test
  void aReadAheadThatDoesNotEndIsToldThoughTheBlockHasMoved() throws IOException {
    tcp.actions.put(
        10,
        () -> {
          node.move();
          node.scribbleFormer();
        });
    tcp.endlessFrom = BLOCK / WINDOW; // the first of the next block
    try (NodeReader reader = reader(ENDLESS_MS, null, tcp);
        NodeRun run = locate(reader)) {
      run.prefetch(2);
      assertThrows(IllegalStateException.class, () -> readAll(run));
      tcp.endless.forEach(read -> read.complete(null));
      RegisteredWindows windows = transports.pool("tcp");
      Await.until("all windows to be back", () -> windows.usage().inUse() == 0);
    }
  }

  /** A service copies a damaged run as it is. */
  /** The node goes to its copy when it is asked to look at its bytes. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatIsDamagedIsReadOnFromTheNodesCopy(boolean local) throws IOException {
    node.beforeVerdict(node::move);
    try (NodeReader reader = reader(TIMEOUT_MS, local ? node.localPool() : null, tcp);
        NodeRun run = locate(reader)) {
      assertEquals(local, run.isLocal());
      node.scribbleCurrent();
      assertArrayEquals(expected, readAll(run));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void damageThatHasMovedIsDamage(boolean formerIsTaken) throws IOException {
    tcp.actions.put(
        40,
        () -> {
          node.move();
          node.scribbleCurrent();
          node.scribbleFormer();
          if (formerIsTaken) {
            node.takeFormer();
          }
        });
    assertInstanceOf(ChecksumException.class, assertFails(TIMEOUT_MS).getCause());
  }

  @Test
  void damageWithASilentServiceIsNotCertain() throws IOException {
    tcp.actions.put(
        40,
        () -> {
          node.scribbleCurrent();
          node.fallSilent();
        });
    FetchFailedException e = assertFails(SHORT_MS);
    assertTrue(e.getMessage().contains("can no longer be asked"), e.getMessage());
    assertFalse(e.getCause() instanceof ChecksumException, "not certain");
    assertInstanceOf(ChecksumException.class, e.getCause().getSuppressed()[0]);
  }

  @Test
  void staleBytesForEverAreNotCalledDamage() throws IOException {
    tcp.always =
        () -> {
          node.move();
          node.scribbleFormer();
        };
    FetchFailedException e = assertFails(TIMEOUT_MS);
    assertTrue(e.getMessage().contains("has moved it more than 3 times"), e.getMessage());
    assertFalse(e.getCause() instanceof ChecksumException, "not certain");
    assertInstanceOf(ChecksumException.class, e.getSuppressed()[0]);
  }

  @ParameterizedTest
  @EnumSource
  void faultsAndMovesTogetherNeverLoseOrChangeBytes(FaultKind kind) throws IOException {
    List<Runnable> moves =
        List.of(
            node::move,
            node::scribbleFormer,
            () -> {
              node.move();
              node.scribbleFormer();
            },
            () -> {
              node.move();
              node.takeFormer();
            });
    tcp.always =
        () -> {
          if (random.nextInt(40) == 0) {
            moves.get(random.nextInt(moves.size())).run();
          }
        };
    double rate = kind == FaultKind.DROP ? 0.002 : 0.02; // each of those costs a deadline
    long timeoutMs = kind == FaultKind.DROP ? SHORT_MS : TIMEOUT_MS;
    FaultPlan plan = FaultPlan.seeded(random.nextLong()).with(kind, rate).withMaxDelayMs(2);
    FaultyProvider faulty = new FaultyProvider(tcp, plan);
    boolean flips = kind == FaultKind.BIT_FLIP;
    int whole = 0;
    for (int i = 0; i < 5; i++) {
      try (NodeReader reader = reader(timeoutMs, null, faulty);
          NodeRun run = locate(reader)) {
        run.prefetch(random.nextInt(8));
        ByteArrayOutputStream seen = new ByteArrayOutputStream();
        try {
          drain(run, seen);
          assertArrayEquals(expected, seen.toByteArray());
          whole++;
        } catch (FetchFailedException e) {
          assertArrayEquals(Arrays.copyOf(expected, seen.size()), seen.toByteArray());
          assertEquals(ID, e.outputId());
          if (!flips && e.getCause() instanceof ChecksumException) {
            throw new AssertionError("nothing is damaged", e);
          }
        }
        assertEquals(0, transports.pool(faulty.name()).usage().inUse());
      }
    }
    assertTrue(flips || whole > 0, "all of them failed"); // a flipped bit is damage
  }

  /** Nothing is damaged where it lies: each block is read once more, over the other transport. */
  @Test
  void whatIsDamagedOnItsWayIsReadAgainAnotherWay() throws IOException {
    FaultyProvider flips =
        new FaultyProvider(tcp, FaultPlan.seeded(random.nextLong()).with(FaultKind.BIT_FLIP, 1));
    try (NodeReader reader = reader(TIMEOUT_MS, null, flips, tcp);
        NodeRun run = locate(reader)) {
      assertArrayEquals(expected, readAll(run));
      assertEquals(0, reader.stats().transportFallbacks());
    }
  }

  private enum Former {
    TAKEN,
    SCRIBBLED,
    SCRIBBLED_AND_TAKEN,
    CUT,
    EMPTIED
  }

  /** Its ranges meet in the middle of the second block. */
  @ParameterizedTest
  @CsvSource({
    "TAKEN,0",
    "TAKEN,32768",
    "TAKEN,65536",
    "SCRIBBLED,0",
    "SCRIBBLED,32768",
    "SCRIBBLED,65536",
    "SCRIBBLED_AND_TAKEN,0",
    "SCRIBBLED_AND_TAKEN,32768",
    "SCRIBBLED_AND_TAKEN,65536",
    "CUT,32768",
    "EMPTIED,0",
    "EMPTIED,32768",
    "EMPTIED,65536"
  })
  void aLocalRunThatIsElsewhereIsReadOn(Former former, int readBytes) throws IOException {
    int before = node.questions();
    try (NodeReader reader = reader(TIMEOUT_MS, node.localPool(), tcp);
        NodeRun run = locate(reader)) {
      assertTrue(run.isLocal());
      byte[] first = readSome(run, readBytes);
      node.move();
      switch (former) {
        case TAKEN -> node.takeFormer();
        case SCRIBBLED -> node.scribbleFormer();
        case SCRIBBLED_AND_TAKEN -> {
          node.scribbleFormer();
          node.takeFormer();
        }
        case CUT -> node.cutFormer(MovingNode.CUT_BYTES + 1_000);
        case EMPTIED -> node.cutFormer(0); // as it is before another user gets the segment
      }
      assertArrayEquals(Arrays.copyOf(expected, readBytes), first);
      assertArrayEquals(
          Arrays.copyOfRange(expected, readBytes, RUN_BYTES), readSome(run, RUN_BYTES - readBytes));
      assertEquals(-1, run.input().read(new byte[1], 0, 1));
    }
    // A mapper keeps the files of the memory tier open, and what lies there is right.
    boolean noticed = former != Former.TAKEN || readBytes == 0;
    assertEquals(before + (noticed ? 2 : 1), node.questions());
  }

  @Test
  void aLocalRunIsLostOrDamagedAsARemoteOne() throws IOException {
    try (NodeReader reader = reader(SHORT_MS, node.localPool(), tcp)) {
      NodeRun damaged = locate(reader);
      NodeRun silent = locate(reader);
      NodeRun gone = locate(reader);
      NodeRun missing = locate(reader);
      node.scribbleCurrent();
      assertInstanceOf(ChecksumException.class, assertFails(damaged).getCause());
      node.forget();
      FetchFailedException lost = assertFails(gone);
      assertTrue(lost.getMessage().contains("no longer holds this run"), lost.getMessage());
      assertFalse(lost.getCause() instanceof ChecksumException, "it is lost");
      node.move();
      node.takeFormer();
      assertTrue(assertFails(missing).getMessage().contains("no longer holds this run"));
      node.fallSilent();
      FetchFailedException e = assertFails(silent);
      assertTrue(e.getMessage().contains("can no longer be asked"), e.getMessage());
      assertFalse(e.getCause() instanceof ChecksumException, "not certain");
    }
  }

  @Test
  void aLocalReaderThatIsInterruptedBlamesNobody() throws IOException {
    try (NodeReader reader = reader(TIMEOUT_MS, node.localPool(), tcp);
        NodeRun run = locate(reader)) {
      node.move();
      node.takeFormer();
      Thread.currentThread().interrupt();
      assertThrows(InterruptedIOException.class, () -> readSome(run, 1));
      assertTrue(Thread.interrupted(), "the interrupt must stay pending for the caller");
    }
  }
}
