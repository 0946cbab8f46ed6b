package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.Footer;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputId;
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
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.zip.CRC32C;
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
    commit(footer -> footer);
    assertEquals(2, store.find(id(1)).orElseThrow().runs(2).get(0).run().partition());
    lease.commit(id(1), honest().location());
    assertEquals(1, store.stats().outputs(), "committing again is a success and changes nothing");
  }

  @Test
  void extentsOfOthersAreRefused() throws Exception {
    try (Lease other = store.openLease(APP)) {
      Range theirs = other.leaseContiguous(BLOCK_BYTES).range();
      refused("not leased", footer -> withExtents(footer, List.of(theirs, extent.range())));
    }
    Range free = new Range(extent.segment().segmentId(), SEGMENT_BYTES / 2, BLOCK_BYTES);
    refused("not leased", footer -> withExtents(footer, List.of(free, extent.range())));
  }

  @Test
  void extentsTwiceOrNowhereAreRefused() throws Exception {
    Range first = new Range(extent.segment().segmentId(), extent.offsetBytes(), BLOCK_BYTES);
    refused("twice", footer -> withExtents(footer, List.of(first, extent.range())));
    refused(
        "not inside",
        footer -> withExtents(footer, List.of(new Range(77, 0, BLOCK_BYTES), extent.range())));
    refused(
        "not inside",
        footer ->
            withExtents(footer, List.of(new Range(0, SEGMENT_BYTES, BLOCK_BYTES), extent.range())));
    refused(
        "whole blocks",
        footer -> withExtents(footer, List.of(new Range(0, 1, BLOCK_BYTES), extent.range())));
    refused("end of the last extent", footer -> withExtents(footer, List.of(first)));
    refused("extent count", footer -> withExtents(footer, List.of()));
  }

  @Test
  void otherNamesAreRefused() throws Exception {
    OutputId theirs = new OutputId("application_1_0002", "attempt_x");
    refused("is of application_1_0002", footer -> withId(footer, theirs));
    Footer footer = withId(honest(), theirs);
    write(footer);
    assertThrows(CorruptOutputException.class, () -> lease.commit(theirs, footer.location()));
    assertTrue(store.find(theirs).isEmpty());
  }

  @Test
  void otherGenerationsPoolsAndPlacesAreRefused() throws Exception {
    refused("generation", footer -> with(footer, footer.poolId(), footer.generation() - 1));
    refused("generation", footer -> with(footer, footer.poolId(), footer.generation() + 1));
    refused("pool id", footer -> with(footer, UUID.randomUUID(), footer.generation()));
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
      assertThrows(CorruptOutputException.class, () -> lease.commit(id(1), wrong), "" + wrong);
    }
  }

  @Test
  void runsOutsideTheDataAreRefused() throws Exception {
    runs.add(run(2, DATA_BYTES, 1));
    refused("outside", footer -> footer);
    runs.set(2, run(2, -5, 5));
    refused("outside", footer -> footer);
    runs.set(2, run(2, Long.MAX_VALUE - 1, 5));
    refused("outside", footer -> footer);
    runs.set(2, run(2, 0, -5));
    refused("outside", footer -> footer);
  }

  @Test
  void runsThatOverlapAreRefused() throws Exception {
    runs.set(1, run(2, 399, 600));
    refused("overlaps", footer -> footer);
    runs.set(1, run(2, 0, DATA_BYTES));
    refused("longer than", footer -> footer);
  }

  @Test
  void countsThatDoNotFitAreRefused() throws Exception {
    refused("partition count", footer -> withCounts(footer, 0, 2, DATA_BYTES));
    refused("partition count", footer -> withCounts(footer, -1, 2, DATA_BYTES));
    refused("index length", footer -> withCounts(footer, 4, 2, DATA_BYTES));
    refused("index length", footer -> withCounts(footer, Integer.MAX_VALUE, 2, DATA_BYTES));
    refused("run count", footer -> withCounts(footer, 3, -1, DATA_BYTES));
    refused("index length", footer -> withCounts(footer, 3, Integer.MAX_VALUE, DATA_BYTES));
    refused("data length", footer -> withCounts(footer, 3, 2, -1));
    refused("data length", footer -> withCounts(footer, 3, 2, 2 * BLOCK_BYTES));
  }

  @Test
  void furtherChecksumsThatDoNotFitAreRefused() throws Exception {
    runs.set(1, run(2, 400, 600, 1, 2));
    refused("0 further CRCs, it holds 2", footer -> footer);
    for (int lie : new int[] {1, -1, Integer.MIN_VALUE, Integer.MAX_VALUE}) {
      runs.set(1, run(2, 400, 600));
      indexChange =
          index -> {
            int entry = (int) OutputIndex.runsOffset(3) + OutputIndex.RUN_BYTES;
            index.putInt(entry + 40, lie);
            index.putInt(entry + 44, BlockChecksums.crc32c(index.array(), entry, 44));
          };
      refused("begin at " + lie + ", expected 0", footer -> footer);
    }
  }

  @Test
  void garbageIsNeverTaken() throws Exception {
    Random random = seeded("garbageIsNeverTaken");
    ByteBuffer good = honest().encode();
    for (int round = 0; round < 2000; round++) {
      ByteBuffer bad = ByteBuffer.allocate(good.capacity()).put(good.duplicate().rewind());
      for (int flips = 0; flips <= random.nextInt(4); flips++) {
        int at = random.nextInt(bad.capacity() - Long.BYTES);
        bad.put(at, (byte) random.nextInt());
      }
      CRC32C crc = new CRC32C();
      int crcOffset = bad.capacity() - FooterLayout.TRAILER_BYTES + 84;
      crc.update(bad.array(), 0, crcOffset);
      bad.putInt(crcOffset, (int) crc.getValue());
      if (bad.rewind().equals(good.rewind())) {
        continue;
      }
      write(honest(), bad);
      try {
        lease.commit(id(1), honest().location());
      } catch (IOException expected) {
        continue;
      }
      // what may change unseen is padding that nobody reads
      CommittedOutput output = store.find(id(1)).orElseThrow();
      assertEquals(honest().identity(), output.identity(), "round " + round);
      return;
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
      assertThrows(IOException.class, () -> lease.release(List.of(wrong)), "" + wrong);
    }
    lease.release(List.of(extent));
    assertThrows(IOException.class, () -> lease.release(List.of(extent)));
  }

  @Test
  void twoOutputsThatClaimTheSameBlocksAreBothLeftOut() throws Exception {
    commit(footer -> footer);
    OutputId forgedId = id(2);
    Extent second = lease.leaseContiguous(BLOCK_BYTES);
    extent = second;
    Footer honest = honest();
    Footer forged = withId(withExtents(honest, List.of(extentOf(id(1)), second.range())), forgedId);
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

  private void commit(UnaryOperator<Footer> change) throws IOException {
    Footer footer = change.apply(honest());
    write(footer);
    lease.commit(id(1), footer.location());
  }

  private void refused(String reason, UnaryOperator<Footer> lie) throws IOException {
    Footer footer = lie.apply(honest());
    write(footer);
    String message =
        assertThrows(CorruptOutputException.class, () -> lease.commit(id(1), footer.location()))
            .getMessage();
    assertTrue(message.contains(reason), message);
    assertTrue(store.find(id(1)).isEmpty());
  }

  private Footer honest() {
    ByteBuffer index = index();
    CRC32C crc = new CRC32C();
    crc.update(index.array());
    return new Footer(
        store.poolId(),
        new FooterLocation(
            extent.segment().segmentId(), extent.range().endBytes() - FooterLayout.TRAILER_BYTES),
        lease.info().generation(),
        id(1),
        3,
        runs.size(),
        DATA_BYTES,
        extent.offsetBytes() + DATA_BYTES,
        index.capacity(),
        (int) crc.getValue(),
        List.of(extent.range()));
  }

  private ByteBuffer index() {
    ByteBuffer index = OutputIndex.encode(3, runs);
    indexChange.accept(index);
    return index;
  }

  private static WrittenRun run(int partition, long offsetBytes, long lengthBytes, int... further) {
    return new WrittenRun(
        partition, offsetBytes, lengthBytes, lengthBytes, 1, BlockChecksums.of(7, further));
  }

  private void write(Footer footer) throws IOException {
    write(footer, footer.encode());
  }

  private void write(Footer footer, ByteBuffer encoded) throws IOException {
    try (FileChannel file = FileChannel.open(extent.segment().path(), StandardOpenOption.WRITE)) {
      file.write(index(), extent.offsetBytes() + DATA_BYTES);
      file.write(encoded.rewind(), extent.range().endBytes() - encoded.capacity());
    }
  }

  private void writeMark(Footer footer) throws IOException {
    try (FileChannel file = FileChannel.open(extent.segment().path(), StandardOpenOption.WRITE)) {
      file.write(
          ByteBuffer.allocate(Long.BYTES).putLong(0, footer.commitMark()),
          footer.location().trailerOffsetBytes() + FooterLayout.COMMIT_MARK_OFFSET);
    }
  }

  private static Footer withExtents(Footer f, List<Range> extents) {
    return new Footer(
        f.poolId(),
        f.location(),
        f.generation(),
        f.id(),
        f.partitionCount(),
        f.runCount(),
        f.dataLengthBytes(),
        f.indexOffsetBytes(),
        f.indexLengthBytes(),
        f.indexCrc32c(),
        extents);
  }

  private static Footer withId(Footer f, OutputId id) {
    return new Footer(
        f.poolId(),
        f.location(),
        f.generation(),
        id,
        f.partitionCount(),
        f.runCount(),
        f.dataLengthBytes(),
        f.indexOffsetBytes(),
        f.indexLengthBytes(),
        f.indexCrc32c(),
        f.extents());
  }

  private static Footer with(Footer f, UUID poolId, long generation) {
    return new Footer(
        poolId,
        f.location(),
        generation,
        f.id(),
        f.partitionCount(),
        f.runCount(),
        f.dataLengthBytes(),
        f.indexOffsetBytes(),
        f.indexLengthBytes(),
        f.indexCrc32c(),
        f.extents());
  }

  private static Footer withCounts(Footer f, int partitions, int runs, long dataBytes) {
    return new Footer(
        f.poolId(),
        f.location(),
        f.generation(),
        f.id(),
        partitions,
        runs,
        dataBytes,
        f.indexOffsetBytes(),
        f.indexLengthBytes(),
        f.indexCrc32c(),
        f.extents());
  }
}
