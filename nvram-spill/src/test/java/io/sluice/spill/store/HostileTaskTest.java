package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A task writes footers by hand, with right checksums and wrong claims. */
class HostileTaskTest extends PoolTestBase {
  private static final int DATA_BYTES = 1000;

  private SpillStore store;
  private Lease lease;
  private Extent extent;
  private List<WrittenRun> runs;
  private long identityOffset = 2000; // behind the longest index here, a multiple of 8
  private Consumer<ByteBuffer> indexChange = index -> {};

  @BeforeEach
  void openStore() throws IOException {
    store = SpillStore.open(config(2).build());
    lease = store.openLease(APP);
    extent = lease.leaseContiguous(2 * BLOCK_BYTES);
    runs = new ArrayList<>(List.of(run(0, 0, 400), run(2, 400, 600)));
  }

  @AfterEach
  void closeStore() throws IOException {
    assertTrue(store.find(id(1)).isEmpty() || store.stats().outputs() == 1);
    store.freeApplication(APP);
    lease.close();
    assertAllFree(store);
    store.close();
  }

  @Test
  void aTruthfulFooterIsTaken() throws Exception {
    commit(tail -> tail);
    assertEquals(2, store.find(id(1)).orElseThrow().runs(2).get(0).run().partition());
    lease.commit(honest().stamp(id(1)), honest().location());
    assertEquals(1, store.stats().outputs(), "committing again is a success and changes nothing");
  }

  @Test
  void extentsOfOthersAreRefused() throws Exception {
    try (Lease other = store.openLease(APP)) {
      Range theirs = other.leaseContiguous(BLOCK_BYTES).range();
      refused("not leased", tail -> tail.withBefore(theirs));
    }
    Range free = new Range(extent.segment().segmentId(), SEGMENT_BYTES / 2, BLOCK_BYTES);
    refused("not leased", tail -> tail.withBefore(free));
  }

  @Test
  void extentsTwiceOrNowhereAreRefused() throws Exception {
    Range first = new Range(extent.segment().segmentId(), extent.offsetBytes(), BLOCK_BYTES);
    refused("twice", tail -> tail.withBefore(first));
    for (Range nowhere :
        List.of(new Range(77, 0, BLOCK_BYTES), new Range(0, SEGMENT_BYTES, BLOCK_BYTES))) {
      refused("not inside", tail -> tail.withBefore(nowhere));
    }
    refused("whole blocks", tail -> tail.withBefore(new Range(0, 1, BLOCK_BYTES)));
    refused("end of the last extent", tail -> tail.withExtents(List.of(first)));
    refused("location length", tail -> tail.withExtents(List.of()));
  }

  @Test
  void otherNamesAreRefused() throws Exception {
    OutputId theirs = new OutputId("application_1_0002", "attempt_x");
    refused("is of application_1_0002", tail -> tail.withId(theirs));
    Tail tail = honest().withId(theirs);
    write(tail);
    String message =
        assertThrows(
                CorruptOutputException.class,
                () -> lease.commit(tail.stamp(theirs), tail.location()))
            .getMessage();
    assertTrue(message.contains("cannot be committed by a lease of " + APP), message);
    assertTrue(store.find(theirs).isEmpty());
  }

  @Test
  void otherGenerationsPoolsAndPlacesAreRefused() throws Exception {
    long generation = lease.info().generation();
    for (long wrong : new long[] {generation - 1, generation + 1, -1, Long.MAX_VALUE}) {
      refused("generation", tail -> tail.withGenerations(wrong, wrong));
      refused("generation", tail -> tail.withGenerations(generation, wrong));
      refused("generation", tail -> tail.withGenerations(wrong, generation));
    }
    refused("pool id", tail -> tail.withPool(UUID.randomUUID()));
    write(honest());
    long end = honest().location().trailerOffsetBytes();
    for (FooterLocation wrong :
        List.of(
            new FooterLocation(0, end - BLOCK_BYTES),
            new FooterLocation(0, end - 1),
            new FooterLocation(0, -1),
            new FooterLocation(0, Long.MAX_VALUE - 10),
            new FooterLocation(0, SEGMENT_BYTES),
            new FooterLocation(1, end),
            new FooterLocation(55, end),
            new FooterLocation(SegmentInfo.DISK_ID_BASE, end))) {
      assertThrows(
          CorruptOutputException.class,
          () -> lease.commit(honest().stamp(id(1)), wrong),
          "" + wrong);
    }
  }

  @Test
  void aTrailerIsNoneInAnotherBlock() throws Exception {
    Tail tail = honest();
    ByteBuffer place = tail.place().encode();
    long otherEndBytes = extent.range().endBytes() - BLOCK_BYTES;
    write(tail);
    write(place, otherEndBytes - place.capacity());
    FooterLocation copied =
        new FooterLocation(
            extent.segment().segmentId(), otherEndBytes - FooterLayout.TRAILER_BYTES);
    String message =
        assertThrows(CorruptOutputException.class, () -> lease.commit(tail.stamp(id(1)), copied))
            .getMessage();
    assertTrue(message.contains("own offset"), message);
  }

  @Test
  void anIdentityThatTheTrailerDoesNotMeanIsRefused() throws Exception {
    Tail honest = honest();
    write(honest);
    write(honest.withId(id(2)).identity().encode(), identityStart());
    assertCommitRefused("CRC32C of the identity", honest);
    write(ByteBuffer.allocate(1).put(0, (byte) 'x'), identityStart());
    assertCommitRefused("magic of the identity", honest);
    write(honest.identity().encode().putInt(8, 3), identityStart());
    assertCommitRefused("the identity is of another release of Sluice: it has format ", honest);
  }

  @Test
  void identitiesInWrongPlacesAreRefused() throws Exception {
    long placeStartBytes = 2 * BLOCK_BYTES - FooterLayout.locationBytes(1);
    for (long offset :
        new long[] {
          -8, Long.MIN_VALUE, Long.MAX_VALUE - 7, 2 * BLOCK_BYTES, placeStartBytes / 8 * 8, 4, 1001
        }) {
      refused("identity offset", tail -> tail.withIdentityAt(offset));
    }
    identityOffset = DATA_BYTES; // over the index
    refused("index offset", tail -> tail);
    identityOffset = 2000;
    for (int length : new int[] {0, -1, 64, 584, Integer.MAX_VALUE, Integer.MIN_VALUE}) {
      refused("identity length", tail -> tail.withIdentityLength(length));
    }
    int length = honest().place().identityLengthBytes();
    refused("CRC32C of the identity", tail -> tail.withIdentityLength(length + 8));
  }

  @Test
  void anIdentityMayCrossExtents() throws Exception {
    int identityBytes = honest().place().identityLengthBytes();
    identityOffset = BLOCK_BYTES - identityBytes / 16 * 8;
    Range whole = extent.range();
    commit(
        tail ->
            tail.withExtents(
                List.of(
                    new Range(whole.segmentId(), whole.offsetBytes(), BLOCK_BYTES),
                    new Range(whole.segmentId(), whole.offsetBytes() + BLOCK_BYTES, BLOCK_BYTES))));
    CommittedOutput output = store.find(id(1)).orElseThrow();
    assertEquals(2, output.extents().size());
    assertEquals(honest().identity(), output.identity());
    assertEquals(600, output.runs(2).get(0).run().lengthBytes());
  }

  @Test
  void idsThatDoNotFitAreRefused() throws Exception {
    Tail honest = honest();
    for (int[] lengths : new int[][] {{0, 100}, {20, 500}, {65_535, 65_535}, {1, 255}}) {
      ByteBuffer identity = honest.identity().encode();
      identity.putShort(56, (short) lengths[0]).putShort(58, (short) lengths[1]);
      Tail lying = writeIdentity(honest, identity);
      assertCommitRefused("identity length", lying);
    }
    int ids = honest.identity().id().applicationId().length();
    int all = ids + honest.identity().id().outputId().length();
    ByteBuffer identity = honest.identity().encode();
    identity.putShort(56, (short) 0).putShort(58, (short) all);
    assertCommitRefused("application id has 0", writeIdentity(honest, identity));
    identity = honest.identity().encode().put(64 + ids, (byte) ' ');
    assertCommitRefused("allowed is printable ASCII", writeIdentity(honest, identity));
    ByteBuffer longer = ByteBuffer.allocate(64 + 312);
    Arrays.fill(longer.array(), 64, 64 + 10 + 300, (byte) 'x');
    longer.put(0, honest.identity().encode().array(), 0, 64);
    longer.putShort(56, (short) 10).putShort(58, (short) 300);
    Tail tooLong = honest.withIdentityLength(longer.capacity());
    assertCommitRefused("output id has 300", writeIdentity(tooLong, longer));
  }

  /** Writes an identity with a right CRC of its own, and a trailer that means it. */
  private Tail writeIdentity(Tail tail, ByteBuffer identity) throws IOException {
    int crc32c = BlockChecksums.crc32c(identity.array(), 16, identity.capacity() - 16);
    identity.putInt(12, crc32c);
    Tail lying = tail.withIdentityCrc(crc32c);
    write(lying);
    write(identity, identityStart());
    return lying;
  }

  @Test
  void placesOfWrongLengthAreRefused() throws Exception {
    Tail honest = honest();
    for (int length :
        new int[] {
          0, -24, 23, 25, (64 << 20) / 24 * 24 + 24, Integer.MAX_VALUE / 24 * 24, Integer.MIN_VALUE
        }) {
      ByteBuffer place = honest.place().encode();
      place.putInt(place.capacity() - FooterLayout.TRAILER_BYTES + 12, length);
      write(honest);
      write(place, extent.range().endBytes() - place.capacity());
      assertCommitRefused("location length", honest);
    }
  }

  @Test
  void aPlaceOfMoreExtentsThanBlocksWereLeasedIsNotRead() throws Exception {
    Range last =
        new Range(extent.segment().segmentId(), extent.offsetBytes() + BLOCK_BYTES, BLOCK_BYTES);
    Range none = new Range(1, 0, BLOCK_BYTES);
    refused("up to 48", tail -> tail.withExtents(List.of(none, none, last)));
  }

  @Test
  void runsOutsideTheDataAreRefused() throws Exception {
    runs.add(run(2, DATA_BYTES, 1));
    refused("outside", tail -> tail);
    runs.set(2, run(2, -5, 5));
    refused("outside", tail -> tail);
    runs.set(2, run(2, Long.MAX_VALUE - 1, 5));
    refused("outside", tail -> tail);
    runs.set(2, run(2, 0, -5));
    refused("outside", tail -> tail);
  }

  @Test
  void runsThatOverlapAreRefused() throws Exception {
    runs.set(1, run(2, 399, 600));
    refused("overlaps", tail -> tail);
    runs.set(0, run(0, 0, 200));
    runs.set(1, run(2, 100, 800));
    refused("overlaps", tail -> tail);
    runs.set(1, run(2, 0, DATA_BYTES));
    refused("longer than", tail -> tail);
  }

  @Test
  void countsThatDoNotFitAreRefused() throws Exception {
    refused("partition count", tail -> tail.withCounts(0, 2, DATA_BYTES));
    refused("partition count", tail -> tail.withCounts(-1, 2, DATA_BYTES));
    refused("index length", tail -> tail.withCounts(4, 2, DATA_BYTES));
    refused("index length", tail -> tail.withCounts(Integer.MAX_VALUE, 2, DATA_BYTES));
    refused("run count", tail -> tail.withCounts(3, -1, DATA_BYTES));
    refused("index length", tail -> tail.withCounts(3, Integer.MAX_VALUE, DATA_BYTES));
    refused("data length", tail -> tail.withCounts(3, 2, -1));
    refused("data length", tail -> tail.withCounts(3, 2, 2 * BLOCK_BYTES));
    for (long offset : new long[] {-8, 1001, 2 * BLOCK_BYTES, Long.MAX_VALUE - 7}) {
      refused("index offset", tail -> tail.withIndexAt(offset));
    }
  }

  @Test
  void furtherChecksumsThatDoNotFitAreRefused() throws Exception {
    runs.set(1, run(2, 400, 600, 1, 2));
    refused("0 further CRCs, it holds 2", tail -> tail);
    for (int lie : new int[] {1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      runs.set(1, run(2, 400, 600));
      indexChange =
          index -> {
            int entry = (int) OutputIndex.runsOffset(3) + OutputIndex.RUN_BYTES;
            index.putInt(entry + 40, lie);
            index.putInt(entry + 44, BlockChecksums.crc32c(index.array(), entry, 44));
          };
      refused("begin at " + lie + ", expected 0", tail -> tail);
    }
  }

  /** It would be committed and not found again: its mark is not that of its fields. */
  @Test
  void reservedBytesThatAreNotZeroAreRefused() throws Exception {
    Tail honest = honest();
    ByteBuffer good = honest.place().encode();
    int trailer = good.capacity() - FooterLayout.TRAILER_BYTES;
    IntStream ofExtent = IntStream.range(4, 8);
    IntStream ofTrailer = IntStream.range(trailer + 68, trailer + 84);
    for (int i : IntStream.concat(ofExtent, ofTrailer).toArray()) {
      writePlace(copy(good).put(i, (byte) 1));
      assertCommitRefused("reserved byte", honest);
    }
  }

  /** Though the task tells the CRC of the fields, the commit is not of the bytes that lie there. */
  @Test
  void reservedBytesOfTheIdentityThatAreNotZeroAreRefused() throws Exception {
    Tail honest = honest();
    ByteBuffer good = honest.identity().encode();
    int ids = 64 + id(1).applicationId().length() + id(1).outputId().length();
    IntStream padding = IntStream.range(ids, good.capacity());
    for (int i : IntStream.concat(IntStream.range(60, 64), padding).toArray()) {
      Tail lying = writeIdentity(honest, copy(good).put(i, (byte) 1));
      String message =
          assertThrows(
                  CorruptOutputException.class,
                  () -> lease.commit(honest.stamp(id(1)), lying.location()))
              .getMessage();
      assertTrue(message.contains("CRC32C of the identity's fields"), message);
    }
  }

  /** Writes a place with a right CRC, and all that is honest before it. */
  private void writePlace(ByteBuffer place) throws IOException {
    int crcOffset = place.capacity() - FooterLayout.TRAILER_BYTES + 84;
    place.putInt(crcOffset, BlockChecksums.crc32c(place.array(), 0, crcOffset));
    write(honest());
    write(place, extent.range().endBytes() - place.capacity());
  }

  @Test
  void garbageInThePlaceIsNeverTaken() throws Exception {
    Random random = seeded("garbageInThePlaceIsNeverTaken");
    ByteBuffer good = honest().place().encode();
    int crcOffset = good.capacity() - FooterLayout.TRAILER_BYTES + 84;
    for (int round = 0; round < 2000; round++) {
      writePlace(changed(good, random, 0, crcOffset));
      assertNotTaken(honest(), "round " + round);
    }
  }

  @Test
  void garbageInTheIdentityIsNeverTaken() throws Exception {
    Random random = seeded("garbageInTheIdentityIsNeverTaken");
    ByteBuffer good = honest().identity().encode();
    for (int round = 0; round < 2000; round++) {
      Tail lying = writeIdentity(honest(), changed(good, random, 16, good.capacity()));
      assertNotTaken(lying, "round " + round);
    }
  }

  /** A copy in which some bytes from there to there may be others. */
  private static ByteBuffer changed(ByteBuffer good, Random random, int from, int to) {
    ByteBuffer bad = copy(good);
    do {
      for (int flips = 0; flips <= random.nextInt(4); flips++) {
        bad.put(from + random.nextInt(to - from), (byte) random.nextInt());
      }
    } while (bad.rewind().equals(good.rewind()));
    return bad;
  }

  private static ByteBuffer copy(ByteBuffer bytes) {
    return ByteBuffer.wrap(bytes.array().clone());
  }

  private void assertNotTaken(Tail tail, String round) {
    assertThrows(IOException.class, () -> lease.commit(tail.stamp(id(1)), tail.location()), round);
    assertEquals(0, store.stats().outputs(), round);
  }

  /** Its answer was lost, and its place has become another's since then. */
  @Test
  void aRepeatedCommitIsASuccessThoughItsPlaceIsOverwritten() throws Exception {
    commit(tail -> tail);
    Tail tail = honest();
    write(ByteBuffer.allocate(2 * BLOCK_BYTES), extent.offsetBytes());
    lease.commit(tail.stamp(id(1)), tail.location());
    assertEquals(tail.identity(), store.find(id(1)).orElseThrow().identity());
    assertEquals(1, store.stats().outputs());
    write(tail);
  }

  @Test
  void theStampOfWhatIsHeldChangesNothingWhateverPlaceItComesWith() throws Exception {
    commit(tail -> tail);
    Tail tail = honest();
    CommittedOutput held = store.find(id(1)).orElseThrow();
    extent = lease.leaseContiguous(2 * BLOCK_BYTES);
    write(honest());
    for (FooterLocation other :
        List.of(
            honest().location(),
            new FooterLocation(0, -1),
            new FooterLocation(77, Long.MAX_VALUE))) {
      lease.commit(tail.stamp(id(1)), other);
      assertSame(held, store.find(id(1)).orElseThrow());
    }
    lease.release(List.of(extent)); // it is still the task's
  }

  @Test
  void aStampThatTheMediumDoesNotBearOutIsRefused() throws Exception {
    Tail tail = honest();
    write(tail);
    OutputStamp stamp = tail.stamp(id(1));
    long generation = stamp.writerGeneration();
    int crc32c = stamp.identityCrc32c();
    for (OutputStamp wrong :
        List.of(
            new OutputStamp(id(2), generation, crc32c),
            new OutputStamp(id(1), generation + 1, crc32c),
            new OutputStamp(id(1), -1, crc32c),
            new OutputStamp(id(1), generation, crc32c ^ 1))) {
      assertThrows(CorruptOutputException.class, () -> lease.commit(wrong, tail.location()));
      assertEquals(0, store.stats().outputs(), wrong::toString);
    }
    lease.commit(stamp, tail.location());
    for (OutputStamp wrong :
        List.of(
            new OutputStamp(id(1), generation, crc32c ^ 1),
            new OutputStamp(new OutputId("application_1_0002", "x"), generation, crc32c))) {
      assertThrows(CorruptOutputException.class, () -> lease.commit(wrong, tail.location()));
    }
    assertEquals(1, store.stats().outputs());
    try (Lease other = store.openLease("application_1_0002")) {
      assertThrows(CorruptOutputException.class, () -> other.commit(stamp, tail.location()));
    }
  }

  @Test
  void releasingWhatOneDoesNotHoldIsRefused() throws Exception {
    SegmentInfo segment = extent.segment();
    for (Extent wrong :
        List.of(
            new Extent(segment, SEGMENT_BYTES / 2, BLOCK_BYTES),
            new Extent(segment, extent.offsetBytes() + 1, BLOCK_BYTES),
            new Extent(segment, extent.offsetBytes(), BLOCK_BYTES - 1),
            new Extent(
                new SegmentInfo(99, Tier.MEMORY, segment.path(), SEGMENT_BYTES), 0, BLOCK_BYTES))) {
      assertThrows(IllegalArgumentException.class, () -> lease.release(List.of(wrong)), "" + wrong);
    }
    lease.release(List.of(extent));
    assertThrows(IllegalArgumentException.class, () -> lease.release(List.of(extent)));
  }

  @Test
  void twoOutputsThatClaimTheSameBlocksAreBothLeftOut() throws Exception {
    commit(tail -> tail);
    OutputId forgedId = id(2);
    Extent second = lease.leaseContiguous(BLOCK_BYTES);
    extent = second;
    Tail forged = honest().withBefore(extentOf(id(1))).withId(forgedId);
    write(forged);
    writeMark(forged);
    store.close();
    store = SpillStore.open(config(2).recover(Set.of()).build());
    lease = store.openLease(APP);
    assertEquals(0, store.stats().outputs());
  }

  private Range extentOf(OutputId id) {
    return store.find(id).orElseThrow().extents().get(0).range();
  }

  private void commit(UnaryOperator<Tail> change) throws IOException {
    Tail tail = change.apply(honest());
    write(tail);
    lease.commit(tail.stamp(id(1)), tail.location());
  }

  private void refused(String reason, UnaryOperator<Tail> lie) throws IOException {
    Tail tail = lie.apply(honest());
    write(tail);
    assertCommitRefused(reason, tail);
  }

  private void assertCommitRefused(String reason, Tail tail) {
    String message =
        assertThrows(
                CorruptOutputException.class,
                () -> lease.commit(tail.stamp(id(1)), tail.location()))
            .getMessage();
    assertTrue(message.contains(reason), message);
    assertTrue(store.find(id(1)).isEmpty());
  }

  private Tail honest() {
    ByteBuffer index = index();
    OutputIdentity identity =
        new OutputIdentity(
            id(1),
            lease.info().generation(),
            3,
            runs.size(),
            DATA_BYTES,
            DATA_BYTES,
            index.capacity(),
            BlockChecksums.crc32c(index.array(), 0, index.capacity()));
    return new Tail(
        identity,
        new LocationRecord(
            store.poolId(),
            new FooterLocation(
                extent.segment().segmentId(),
                extent.range().endBytes() - FooterLayout.TRAILER_BYTES),
            identity.writerGeneration(),
            List.of(extent.range()),
            identityOffset,
            FooterLayout.identityBytes(id(1)),
            identity.crc32c()));
  }

  private ByteBuffer index() {
    ByteBuffer index = OutputIndex.encode(3, runs);
    indexChange.accept(index);
    return index;
  }

  private static WrittenRun run(int partition, long offsetBytes, long lengthBytes, int... further) {
    long rawLengthBytes = Math.max(0, lengthBytes);
    return new WrittenRun(
        partition, offsetBytes, lengthBytes, rawLengthBytes, 0, 1, BlockChecksums.of(7, further));
  }

  private long identityStart() {
    return extent.offsetBytes() + identityOffset;
  }

  /** Index, identity, place and trailer, where an honest task has them. */
  private void write(Tail tail) throws IOException {
    ByteBuffer place = tail.place().encode();
    write(index(), extent.offsetBytes() + DATA_BYTES);
    write(tail.identity().encode(), identityStart());
    write(place, extent.range().endBytes() - place.capacity());
  }

  private void write(ByteBuffer bytes, long offsetBytes) throws IOException {
    try (FileChannel file = FileChannel.open(extent.segment().path(), StandardOpenOption.WRITE)) {
      file.write(bytes.rewind(), offsetBytes);
    }
  }

  private void writeMark(Tail tail) throws IOException {
    write(
        ByteBuffer.allocate(Long.BYTES).putLong(0, tail.place().commitMark()),
        tail.location().trailerOffsetBytes() + FooterLayout.COMMIT_MARK_OFFSET);
  }

  /** What a task says at the end of an output. */
  private record Tail(OutputIdentity identity, LocationRecord place) {
    FooterLocation location() {
      return place.location();
    }

    /** What the task says that it commits, whatever lies there. */
    OutputStamp stamp(OutputId id) {
      return new OutputStamp(id, identity.writerGeneration(), place.identityCrc32c());
    }

    /** Says this instead, by a trailer that means it. */
    private Tail with(OutputIdentity lie) {
      Tail tail = new Tail(lie, place).withIdentityLength(FooterLayout.identityBytes(lie.id()));
      return tail.withIdentityCrc(lie.crc32c());
    }

    Tail withId(OutputId id) {
      OutputIdentity i = identity;
      return with(
          new OutputIdentity(
              id,
              i.writerGeneration(),
              i.partitionCount(),
              i.runCount(),
              i.dataLengthBytes(),
              i.indexOffsetBytes(),
              i.indexLengthBytes(),
              i.indexCrc32c()));
    }

    Tail withGenerations(long writer, long ofPlace) {
      OutputIdentity i = identity;
      Tail tail =
          with(
              new OutputIdentity(
                  i.id(),
                  writer,
                  i.partitionCount(),
                  i.runCount(),
                  i.dataLengthBytes(),
                  i.indexOffsetBytes(),
                  i.indexLengthBytes(),
                  i.indexCrc32c()));
      LocationRecord p = tail.place;
      return new Tail(
          tail.identity,
          new LocationRecord(
              p.poolId(),
              p.location(),
              ofPlace,
              p.extents(),
              p.identityOffsetBytes(),
              p.identityLengthBytes(),
              p.identityCrc32c()));
    }

    Tail withCounts(int partitions, int runs, long dataBytes) {
      OutputIdentity i = identity;
      return with(
          new OutputIdentity(
              i.id(),
              i.writerGeneration(),
              partitions,
              runs,
              dataBytes,
              i.indexOffsetBytes(),
              i.indexLengthBytes(),
              i.indexCrc32c()));
    }

    Tail withIndexAt(long indexOffsetBytes) {
      OutputIdentity i = identity;
      return with(
          new OutputIdentity(
              i.id(),
              i.writerGeneration(),
              i.partitionCount(),
              i.runCount(),
              i.dataLengthBytes(),
              indexOffsetBytes,
              i.indexLengthBytes(),
              i.indexCrc32c()));
    }

    Tail withPool(UUID poolId) {
      return new Tail(
          identity,
          new LocationRecord(
              poolId,
              place.location(),
              place.generation(),
              place.extents(),
              place.identityOffsetBytes(),
              place.identityLengthBytes(),
              place.identityCrc32c()));
    }

    /** With another extent before its own, all that it points to in its own. */
    Tail withBefore(Range extent) {
      long shiftBytes = extent.lengthBytes();
      return withIndexAt(identity.indexOffsetBytes() + shiftBytes)
          .withIdentityAt(place.identityOffsetBytes() + shiftBytes)
          .withExtents(List.of(extent, place.extents().get(0)));
    }

    Tail withExtents(List<Range> extents) {
      return new Tail(
          identity,
          new LocationRecord(
              place.poolId(),
              place.location(),
              place.generation(),
              extents,
              place.identityOffsetBytes(),
              place.identityLengthBytes(),
              place.identityCrc32c()));
    }

    Tail withIdentityAt(long offsetBytes) {
      return withIdentity(offsetBytes, place.identityLengthBytes(), place.identityCrc32c());
    }

    Tail withIdentityLength(int lengthBytes) {
      return withIdentity(place.identityOffsetBytes(), lengthBytes, place.identityCrc32c());
    }

    Tail withIdentityCrc(int crc32c) {
      return withIdentity(place.identityOffsetBytes(), place.identityLengthBytes(), crc32c);
    }

    private Tail withIdentity(long offsetBytes, int lengthBytes, int crc32c) {
      return new Tail(
          identity,
          new LocationRecord(
              place.poolId(),
              place.location(),
              place.generation(),
              place.extents(),
              offsetBytes,
              lengthBytes,
              crc32c));
    }
  }
}
