package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.remote.LongRunLocations;
import io.sluice.node.remote.OutputLocations;
import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.remote.PartitionRange;
import io.sluice.node.wire.Frames;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.testing.Await;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is said of outputs whose index cannot be read, or changes hands while it is. */
class HeldRunsTest {
  private static final String APP = "application_1_0001";
  private static final OutputId ID = new OutputId(APP, "attempt_0");
  private static final int PARTITIONS = 200; // several reads of an index
  private static final PartitionRange ALL = new PartitionRange(0, PARTITIONS);

  @TempDir Path directory;
  private SpillStore store;

  @BeforeEach
  void open() throws IOException {
    store = SpillStore.open(TestPool.withDisk(directory, 1).build());
  }

  @AfterEach
  void close() throws IOException {
    store.close();
  }

  /** An output of one run in each partition. */
  private CommittedOutput commit(String id, int runBytes) throws IOException {
    List<Integer> partitions = IntStream.range(0, PARTITIONS).boxed().toList();
    List<byte[]> runs = partitions.stream().map(number -> run(number, runBytes)).toList();
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(id, PARTITIONS, partitions, runs).commit(APP, lease);
    }
    return store.find(new OutputId(APP, id)).orElseThrow();
  }

  /** Of a byte of its own, by which it can be told from others. */
  private static byte[] run(int partition, int runBytes) {
    byte[] run = new byte[runBytes];
    Arrays.fill(run, (byte) (partition + runBytes));
    return run;
  }

  private static Optional<List<LocatedRun>> runs(HeldRuns held) throws IOException {
    return held.of(ID, ALL, Integer.MAX_VALUE, new InlinedRuns(0)).map(HeldRunsTest::runs);
  }

  private static List<LocatedRun> runs(OutputLocations held) {
    return held.runs().get(ID.outputId());
  }

  private SegmentLocation served(int segmentId) {
    return store
        .segment(segmentId)
        .map(segment -> new SegmentLocation(segment.info(), Map.of()))
        .orElse(null);
  }

  @Test
  void whatWasCutIsALossUnlessTheServiceEnds() throws IOException {
    commit("attempt_other", 6_000); // more than the memory tier holds
    SegmentInfo tail = last(commit(ID.outputId(), 6_000).extents()).segment();
    try (FileChannel file = FileChannel.open(tail.path(), StandardOpenOption.WRITE)) {
      file.truncate(0);
    }
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    assertEquals(Optional.empty(), runs(held));
    store.quiesce();
    assertThrows(IOException.class, () -> runs(held));
  }

  private static <T> T last(List<T> list) {
    return list.get(list.size() - 1);
  }

  /** As if it were freed, and its blocks given to another one, right after it was found. */
  @Test
  void anOutputThatIsFreedWhileItIsReadIsNotDescribedByWhatCameThere() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    CommittedOutput another = commit("attempt_1", 100);
    assertEquals(former.extents(), another.extents(), "it should lie in the same blocks");
    assertEquals(
        Optional.empty(),
        runs(new HeldRuns(findsFirst(former), this::served, store::isQuiet, store::replaceByCopy)));
  }

  @Test
  void anOutputThatIsReplacedWhileItIsReadIsDescribedAsItIsNow() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    commit("attempt_1", 100); // where the former one lay
    CommittedOutput now = commit(ID.outputId(), 200);
    assertEquals(
        Optional.of(now.runs(0, PARTITIONS)),
        runs(new HeldRuns(findsFirst(former), this::served, store::isQuiet, store::replaceByCopy)));
  }

  @Test
  void bytesThatComeAlongAreThoseOfTheOutputThatIsDescribed() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    commit("attempt_1", 100); // where the former one lay
    CommittedOutput now = commit(ID.outputId(), 200);
    OutputLocations held =
        new HeldRuns(findsFirst(former), this::served, store::isQuiet, store::replaceByCopy)
            .of(ID, ALL, Integer.MAX_VALUE, new InlinedRuns(1_000))
            .orElseThrow();
    assertEquals(now.runs(0, PARTITIONS), runs(held));
    assertEquals(PARTITIONS, held.inlined().size());
    for (LocatedRun located : runs(held)) { // by these very objects
      assertArrayEquals(run(located.run().partition(), 200), held.inlined().get(located));
    }
  }

  /** The defect was: it was described without saying where that segment is. */
  @Test
  void aSegmentThatGoesWhileItIsDescribedIsAskedForAgain() throws IOException {
    commit(ID.outputId(), 100);
    AtomicBoolean replaced = new AtomicBoolean();
    IntFunction<SegmentLocation> goes =
        segmentId -> {
          if (replaced.getAndSet(true)) {
            return served(segmentId);
          }
          try {
            store.freeOutput(ID);
            commit(ID.outputId(), 200);
          } catch (IOException e) {
            throw new UncheckedIOException(e);
          }
          return null;
        };
    OutputLocations held =
        new HeldRuns(store::find, goes, store::isQuiet, store::replaceByCopy)
            .of(ID, ALL, Integer.MAX_VALUE, new InlinedRuns(0))
            .orElseThrow();
    assertEquals(store.find(ID).orElseThrow().runs(0, PARTITIONS), runs(held));
    for (LocatedRun run : runs(held)) {
      for (Range range : run.location().ranges()) {
        assertEquals(
            range.segmentId(), held.segments().get(range.segmentId()).segment().segmentId());
      }
    }
  }

  private void assertNotNow(HeldRuns held) {
    RemoteError e = assertThrows(RemoteError.class, () -> runs(held));
    assertEquals(RemoteError.Code.NOT_NOW, e.code(), e.getMessage());
  }

  /** It may be registered again, with less memory locked by others for example. */
  @Test
  void anOutputInASegmentThatIsNotServedIsNotLost() throws IOException {
    commit(ID.outputId(), 100);
    assertNotNow(new HeldRuns(store::find, id -> null, store::isQuiet, store::replaceByCopy));
  }

  /** As where no descriptor is free: each read of the disk tier opens its file. */
  @Test
  void whatCannotBeReadForAMomentIsNotLost() throws IOException {
    commit("attempt_other", 6_000); // more than the memory tier holds
    Path file = last(commit(ID.outputId(), 6_000).extents()).segment().path();
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    Path kept = Files.move(file, directory.resolve("kept"));
    Files.createDirectory(file); // which is no file, as ELOOP, EMFILE or EIO would say, too
    assertNotNow(held);
    Files.delete(file);
    Files.move(kept, file);
    assertEquals(PARTITIONS, runs(held).orElseThrow().size());
  }

  @Test
  void aPartitionIsDamagedOnlyIfItsBytesAreWrongWhereTheyLie() throws IOException {
    CommittedOutput output = commit(ID.outputId(), 100);
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    assertFalse(held.isDamaged(ID, 7));
    assertFalse(held.isDamaged(new OutputId(APP, "attempt_none"), 7));
    assertEquals(PARTITIONS, runs(held).orElseThrow().size());
    Range range = output.runs(7).get(0).location().ranges().get(0);
    change(range);
    assertEquals(PARTITIONS, runs(held).orElseThrow().size(), "nobody has looked");
    assertTrue(held.isDamaged(ID, 7));
    assertFalse(held.isDamaged(ID, 8));
    assertEquals(Optional.empty(), runs(held));
    assertTrue(of(held, 7).isEmpty());
    assertTrue(of(held, 8).isPresent(), "others are as they were");
    store.freeOutput(ID);
    commit(ID.outputId(), 100); // as another attempt does under its own name
    assertEquals(PARTITIONS, runs(held).orElseThrow().size());
  }

  private void change(Range range) throws IOException {
    Path file = store.segment(range.segmentId()).orElseThrow().info().path();
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {99}), range.offsetBytes() + 50);
    }
  }

  /** An output in memory with a copy on disk, as the service makes it. */
  private CommittedOutput commitWithCopy() throws IOException {
    store.close();
    store = SpillStore.open(TestPool.withDisk(directory, 1).backgroundCopy(true).build());
    CommittedOutput output = commit(ID.outputId(), 100);
    Await.until("it has a copy", () -> store.stats().copies().outputs() == 1);
    return output;
  }

  @Test
  void whatIsDamagedInMemoryIsReadFromItsCopy() throws IOException {
    CommittedOutput output = commitWithCopy();
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    change(output.runs(7).get(0).location().ranges().get(0));
    assertFalse(held.isDamaged(ID, 7));
    assertFalse(output.location().isHeld());
    assertEquals(0, store.stats().copies().outputs());
    List<LocatedRun> now = runs(held).orElseThrow();
    assertEquals(PARTITIONS, now.size());
    Range onDisk = now.get(7).location().ranges().get(0);
    assertEquals(Tier.DISK, SegmentInfo.tierOf(onDisk.segmentId()));
    change(onDisk);
    assertTrue(held.isDamaged(ID, 7), "there is no other");
  }

  @Test
  void anIndexThatIsDamagedInMemoryIsReadFromItsCopy() throws IOException {
    CommittedOutput output = commitWithCopy();
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    Range lastRun = output.runs(PARTITIONS - 1).get(0).location().ranges().get(0);
    change(new Range(lastRun.segmentId(), lastRun.endBytes(), 100)); // the index comes next
    assertEquals(PARTITIONS, runs(held).orElseThrow().size());
    assertFalse(output.location().isHeld());
  }

  @Test
  void aCopyThatIsDamagedTooIsNoHelp() throws IOException {
    CommittedOutput output = commitWithCopy();
    Path copy;
    try (Stream<Path> files = Files.walk(directory.resolve("disk"))) {
      copy =
          files
              .filter(path -> path.getFileName().toString().startsWith("segment-"))
              .findFirst()
              .orElseThrow();
    }
    Range run = output.runs(7).get(0).location().ranges().get(0);
    change(run);
    try (FileChannel channel = FileChannel.open(copy, StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {99}), 7 * 100 + 50);
    }
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    assertTrue(held.isDamaged(ID, 7));
    assertTrue(output.location().isHeld(), "it is as good as the other");
  }

  /** Its files may go at that time, for whatever reason: nobody is to run a map again for it. */
  @Test
  void nothingIsFoundDamagedWhileTheServiceEnds() throws IOException {
    commit("attempt_other", 6_000); // more than the memory tier holds
    SegmentInfo tail = last(commit(ID.outputId(), 6_000).extents()).segment();
    try (FileChannel file = FileChannel.open(tail.path(), StandardOpenOption.WRITE)) {
      file.truncate(0);
    }
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    store.quiesce();
    assertThrows(IOException.class, () -> held.isDamaged(ID, PARTITIONS - 1));
  }

  private Optional<LongRunLocations> longOf(HeldRuns held, int partition) throws IOException {
    return held.longOf(ID, partition, store.paths(), new ArrayList<>());
  }

  private static byte[] written(LongRunLocations described) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    described.writeTo(new DataOutputStream(bytes));
    assertEquals(bytes.size(), described.announcedBytes().orElseThrow());
    return bytes.toByteArray();
  }

  @Test
  void aLongAnswerAboutAnOutputThatIsReplacedMeanwhileIsOfWhatIsThereNow() throws IOException {
    CommittedOutput former = commit(ID.outputId(), 100);
    store.freeOutput(ID);
    commit("attempt_1", 100); // where the former one lay
    commit(ID.outputId(), 200);
    assertArrayEquals(
        written(
            longOf(new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy), 7)
                .orElseThrow()),
        written(
            longOf(
                    new HeldRuns(
                        findsFirst(former), this::served, store::isQuiet, store::replaceByCopy),
                    7)
                .orElseThrow()));
  }

  /** An output of so many runs in one partition, several reads of an index. */
  private CommittedOutput commitLong(String id, int runs, int value) throws IOException {
    byte[] run = new byte[100];
    Arrays.fill(run, (byte) value);
    List<Integer> partitions = Collections.nCopies(runs, 0);
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(id, 1, partitions, Collections.nCopies(runs, run)).commit(APP, lease);
    }
    return store.find(new OutputId(APP, id)).orElseThrow();
  }

  /** Does something when so much was written. */
  private static final class ActingStream extends ByteArrayOutputStream {
    private final int atBytes;
    private Runnable action;

    ActingStream(int atBytes, Runnable action) {
      this.atBytes = atBytes;
      this.action = action;
    }

    @Override
    public synchronized void write(int b) {
      super.write(b);
      look();
    }

    @Override
    public synchronized void write(byte[] bytes, int offset, int count) {
      super.write(bytes, offset, count);
      look();
    }

    private void look() {
      if (size() > atBytes && action != null) {
        action.run();
        action = null;
      }
    }
  }

  /** The defect was: it was found at the end, when the reader had the bytes. */
  @Test
  void ofALongAnswerNothingIsSentThatWasReadOfAnother() throws IOException {
    int runs = 3_000;
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    for (int atBytes : new int[] {0, 100, 64 * runs / 2}) {
      CommittedOutput former = commitLong(ID.outputId(), runs, 1);
      LongRunLocations described = longOf(held, 0).orElseThrow();
      byte[] whole = written(described);
      ActingStream out =
          new ActingStream(
              atBytes,
              () -> {
                try {
                  store.freeOutput(ID);
                  CommittedOutput another = commitLong("attempt_1", runs, 2);
                  assertEquals(former.extents(), another.extents(), "it should lie there now");
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      assertThrows(IOException.class, () -> described.writeTo(new DataOutputStream(out)));
      assertArrayEquals(Arrays.copyOf(whole, out.size()), out.toByteArray());
      store.freeOutput(new OutputId(APP, "attempt_1"));
    }
  }

  /** The defect was: the connection ended, and did so again each time the reader asked. */
  @Test
  void whatCannotBeReadOfALongAnswerIsFoundBeforeItIsSent() throws IOException {
    commit("attempt_other", 6_000); // more than the memory tier holds
    byte[] longRun = new byte[3 * BlockChecksums.BLOCK_BYTES];
    new Random(1).nextBytes(longRun);
    List<byte[]> runs = new ArrayList<>(Collections.nCopies(PARTITIONS, new byte[100]));
    runs.set(0, longRun);
    List<Integer> partitions = IntStream.range(0, PARTITIONS).boxed().toList();
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(ID.outputId(), PARTITIONS, partitions, runs).commit(APP, lease);
    }
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    assertTrue(longOf(held, 0).isPresent());
    SegmentInfo tail = last(store.find(ID).orElseThrow().extents()).segment();
    ByteBuffer further =
        ByteBuffer.allocate(Integer.BYTES)
            .putInt(
                0,
                BlockChecksums.crc32c(
                    longRun, BlockChecksums.BLOCK_BYTES, BlockChecksums.BLOCK_BYTES));
    try (FileChannel file =
        FileChannel.open(tail.path(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
      file.read(bytes, 0);
      int at = bytes.capacity() - further.capacity();
      while (!bytes.slice(at, further.capacity()).equals(further)) {
        at--;
      }
      file.truncate(at);
    }
    assertTrue(of(held, 1).isPresent(), "its entries are there");
    assertTrue(longOf(held, 0).isEmpty());
  }

  /** The defect was: the segments and counts of an answer were left out of the sum. */
  @Test
  void whatFitsInNoMessageIsTooMuchByHoweverLittle() throws IOException {
    commit(ID.outputId(), 1);
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    int runBytes = (int) OutputLocations.runBytes(1, 1);
    int headBytes = longOf(held, 0).orElseThrow().announcedBytes().orElseThrow() - runBytes;
    int most = (Frames.MAX_PAYLOAD_BYTES - headBytes) / runBytes;
    List<Integer> partitions = new ArrayList<>(Collections.nCopies(most, 0));
    partitions.addAll(Collections.nCopies(most + 1, 1));
    store.freeOutput(ID);
    try (Lease lease = store.openLease(APP)) {
      new TestOutput(
              ID.outputId(), 2, partitions, Collections.nCopies(2 * most + 1, new byte[] {1}))
          .commit(APP, lease);
    }
    int longestBytes = longOf(held, 0).orElseThrow().announcedBytes().orElseThrow();
    assertTrue(longestBytes <= Frames.MAX_PAYLOAD_BYTES, longestBytes + " bytes");
    RemoteError e = assertThrows(RemoteError.class, () -> longOf(held, 1));
    assertEquals(RemoteError.Code.TOO_MUCH, e.code());
  }

  @Test
  void runsThatTakeAllThatIsLeftAreGivenAndNoneWhereNothingIs() throws IOException {
    commit(ID.outputId(), 100);
    HeldRuns held = new HeldRuns(store::find, this::served, store::isQuiet, store::replaceByCopy);
    long bytes = PARTITIONS * OutputLocations.runBytes(100, 1);
    InlinedRuns none = new InlinedRuns(0);
    assertEquals(PARTITIONS, runs(held.of(ID, ALL, bytes, none).orElseThrow()).size());
    for (long leftBytes : new long[] {bytes - 1, 0}) {
      RemoteError e = assertThrows(RemoteError.class, () -> held.of(ID, ALL, leftBytes, none));
      assertEquals(RemoteError.Code.TOO_MUCH, e.code());
    }
  }

  private static Optional<OutputLocations> of(HeldRuns held, int partition) throws IOException {
    return held.of(ID, PartitionRange.one(partition), Integer.MAX_VALUE, new InlinedRuns(0));
  }

  /** What was found before it was freed, and from then on what the store holds. */
  private Function<OutputId, Optional<CommittedOutput>> findsFirst(CommittedOutput former) {
    AtomicReference<CommittedOutput> first = new AtomicReference<>(former);
    return id -> Optional.ofNullable(first.getAndSet(null)).or(() -> store.find(id));
  }
}
