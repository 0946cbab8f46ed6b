package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** How many segments of memory an owner may have beside others, however little lies in them. */
class SegmentShareTest {
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int SEGMENT_BYTES = 1 << 20;
  private static final int SEGMENTS = 16;
  private static final int KEPT = SEGMENTS / 8;
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);

  private final AtomicLong nowNs = new AtomicLong();
  private final Map<Integer, Long> leasedBytes = new HashMap<>();
  private int emptied = -1; // whose outputs were asked for last
  private MemoryTier memory;
  private Emptying emptying;

  @BeforeEach
  void open() {
    open(config().disk(List.of(Path.of("disk")), 0, 0).build());
  }

  private static StoreConfig.Builder config() {
    return StoreConfig.builder(Path.of("pool"), (long) SEGMENTS * SEGMENT_BYTES)
        .geometry(SEGMENT_BYTES, BLOCK_BYTES)
        .shared();
  }

  private void open(StoreConfig config) {
    memory =
        new MemoryTier(
            config,
            new LeaseMarks(new FailingArea(), config),
            SegmentShareTest::segment,
            nowNs::get);
    for (int id = 0; id < SEGMENTS; id++) {
      memory.addNobodys(id);
    }
    emptying = new Emptying(true, memory, new Leases(), nowNs::get);
  }

  private static SegmentHandle segment(int id, Owner owner) {
    SegmentInfo info = new SegmentInfo(id, Tier.MEMORY, Path.of("pool", "" + id), SEGMENT_BYTES);
    return new MemorySegment(info, owner, true, null, null, new PlainMedium());
  }

  /** Leases alone lie in the segments. */
  private final class Leases implements Emptying.Content {
    @Override
    public long leasedBytes(SegmentHandle segment) {
      return leasedBytes.getOrDefault(segment.info().segmentId(), 0L);
    }

    @Override
    public boolean isQuarantined(SegmentHandle segment) {
      return false;
    }

    @Override
    public List<CommittedOutput> outputs(int segmentId) {
      emptied = segmentId;
      return List.of();
    }

    @Override
    public Optional<CommittedOutput> stillIn(int segmentId, OutputId id) {
      return Optional.empty();
    }

    @Override
    public void reuseFormer(int segmentId) {}

    @Override
    public void moveToDisk(CommittedOutput output) {
      throw new AssertionError("there is none");
    }
  }

  private List<Extent> take(Owner owner, int blocks) throws IOException {
    List<Extent> taken = memory.take(owner, (long) blocks * BLOCK_BYTES, false);
    taken.forEach(
        each -> leasedBytes.merge(each.segment().segmentId(), each.lengthBytes(), Long::sum));
    return taken;
  }

  private void giveBack(int segmentId, int fromBlock, int blocks) throws IOException {
    long bytes = (long) blocks * BLOCK_BYTES;
    memory.free(new Range(segmentId, (long) fromBlock * BLOCK_BYTES, bytes));
    leasedBytes.merge(segmentId, -bytes, Long::sum);
  }

  /** In the order of segments, or by length, the first one would be begun anew. */
  @Test
  void whatIsNearlyUsedUpIsUsedFirst() throws IOException {
    take(ANN, 2 * blocks());
    for (int from = 0; from < 12; from += 4) {
      giveBack(0, from, 3);
    }
    giveBack(1, 0, 4);
    assertEquals(1, take(ANN, 3).get(0).segment().segmentId());
    assertEquals(1, take(ANN, 1).get(0).segment().segmentId());
    assertEquals(0, take(ANN, 1).get(0).segment().segmentId());
  }

  private static int blocks() {
    return SEGMENT_BYTES / BLOCK_BYTES;
  }

  @Test
  void theLastEighthIsForOwnersWhoHaveLessThanTheirShare() throws IOException {
    take(BOB, 1);
    take(ANN, SEGMENTS * blocks());
    assertEquals(Map.of(ANN, (long) SEGMENTS - 1 - KEPT, BOB, 1L), memory.segmentsOfOwners());
    assertFalse(memory.mayHave(ANN, false) > 0);
    assertFalse(memory.hasRoom(ANN, BLOCK_BYTES, true));
    assertEquals(List.of(), take(ANN, 1));
    take(BOB, KEPT * blocks());
    assertEquals(1 + KEPT, memory.segmentsOf(BOB));
  }

  /** Its disk tier is full, say: what is kept would help nobody. */
  @Test
  void whoWouldHaveNothingOtherwiseMayHaveWhatIsKept() throws IOException {
    take(BOB, 1);
    take(ANN, SEGMENTS * blocks());
    long oneMore = (long) BLOCK_BYTES;
    assertFalse(memory.hasRoom(ANN, oneMore, false, false));
    assertTrue(memory.mayHave(ANN, true) > 0);
    assertTrue(memory.hasRoom(ANN, oneMore, false, true));
    assertEquals(List.of(), memory.take(ANN, oneMore, false, false));
    assertEquals(1, memory.take(ANN, oneMore, false, true).size());
  }

  @Test
  void whatOthersDoNotUseIsToBeHad() throws IOException {
    take(ANN, 10 * blocks());
    int bobs = take(BOB, 6 * blocks()).get(0).segment().segmentId();
    assertFalse(memory.mayHave(ANN, false) > 0);
    for (int id = bobs; id < SEGMENTS - 1; id++) {
      giveBack(id, 0, blocks());
    }
    assertTrue(memory.mayHave(ANN, false) > 0, "five are idle, and two are kept");
    for (int id = 0; id < bobs; id++) {
      giveBack(id, 0, blocks());
    }
    assertTrue(memory.mayHave(BOB, false) > 0, "nobody else uses any");
  }

  @Test
  void whoIsAloneMayHaveAllAndSoMayWhoHasNothingElse() throws IOException {
    take(ANN, SEGMENTS * blocks());
    assertEquals(SEGMENTS, memory.segmentsOf(ANN));
    open(config().build());
    take(BOB, 1);
    take(ANN, SEGMENTS * blocks());
    assertEquals(SEGMENTS - 1, memory.segmentsOf(ANN));
  }

  /** One block of each segment stays leased. */
  private void hoard() throws IOException {
    take(ANN, SEGMENTS * blocks());
    for (int id = 0; id < SEGMENTS; id++) {
      giveBack(id, 1, blocks() - 1);
    }
  }

  @Test
  void ofASegmentOfWhichLittleIsLeasedNoMoreIsGrantedUntilItIsEmpty() throws IOException {
    hoard();
    emptying.lacked(BOB);
    assertNull(emptying.next());
    SegmentHandle leaving = memory.leaving().orElseThrow();
    int id = leaving.info().segmentId();
    assertFalse(emptying.isWanted(), "its leases have not ended");
    take(ANN, SEGMENTS * blocks());
    assertEquals(SEGMENT_BYTES - BLOCK_BYTES, memory.freeBytesIn(leaving));
    giveBack(id, 0, 1);
    assertNull(emptying.next());
    assertSame(leaving, memory.leaving().orElseThrow());
    assertTrue(memory.idle().contains(leaving));
  }

  @Test
  void oneWhoseLeasesDoNotEndStaysForNow() throws IOException {
    hoard();
    emptying.lacked(BOB);
    assertNull(emptying.next());
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(Emptying.LONGEST_MS));
    assertTrue(emptying.isWanted());
    assertNull(emptying.next());
    assertEquals(Optional.empty(), memory.leaving());
    assertEquals(
        SEGMENTS * (blocks() - 1),
        take(ANN, SEGMENTS * blocks()).stream().mapToLong(Extent::lengthBytes).sum() / BLOCK_BYTES);
  }

  /** And again from the first one, since its lease may have ended when all were tried. */
  @Test
  void whatWasTriedInVainIsTriedAgainBehindAllOthers() throws IOException {
    hoard();
    for (int round = 0; round < 2; round++) {
      Set<Integer> tried = new HashSet<>();
      while (tried.size() < SEGMENTS) {
        emptying.lacked(BOB);
        assertNull(emptying.next());
        assertTrue(tried.add(memory.leaving().orElseThrow().info().segmentId()), "again: " + tried);
        nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(Emptying.LONGEST_MS));
        assertNull(emptying.next());
      }
    }
  }

  @Test
  void oneThatCannotBeMovedIsTriedAgainBehindOthers() throws IOException {
    hoard();
    emptying.lacked(BOB);
    assertNull(emptying.next());
    SegmentHandle first = memory.leaving().orElseThrow();
    emptying.failed(new IOException("for a test"));
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(Emptying.PAUSE_MS));
    emptying.lacked(BOB);
    assertNull(emptying.next());
    assertNotSame(first, memory.leaving().orElseThrow());
  }

  @Test
  void oneThatWasTriedInVainComesFirstOnceItsLeaseHasEnded() throws IOException {
    hoard();
    int first = triedInVain();
    assertNotEquals(first, triedInVain());
    leasedBytes.remove(first);
    emptying.lacked(BOB);
    assertNull(emptying.next());
    assertEquals(first, emptied);
  }

  private int triedInVain() {
    emptying.lacked(BOB);
    assertNull(emptying.next());
    int tried = memory.leaving().orElseThrow().info().segmentId();
    nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(Emptying.LONGEST_MS));
    assertNull(emptying.next());
    return tried;
  }

  /** Nothing may be taken from anybody for an owner that has as many as the others. */
  @Test
  void whoCanBeGivenNoneLetsNoneBeTriedAgain() throws IOException {
    hoard();
    int first = triedInVain();
    emptying.lacked(ANN);
    assertNull(emptying.next());
    assertNotEquals(first, triedInVain());
  }

  @Test
  void oneOfWhichNothingIsLeasedComesFirst() throws IOException {
    hoard();
    emptying.lacked(BOB);
    assertNull(emptying.next());
    SegmentHandle first = memory.leaving().orElseThrow();
    int unleased = first.info().segmentId() == 3 ? 4 : 3;
    leasedBytes.remove(unleased); // what it has is an output by now
    assertEquals(-1, emptied);
    emptying.lacked(BOB);
    assertTrue(emptying.isWanted());
    assertNull(emptying.next());
    assertEquals(unleased, emptied);
  }
}
