package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksumsTest;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.writer.OutputWriter;
import io.sluice.spill.writer.OutputWriter.WriterStats;
import io.sluice.spill.writer.WriteTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a writer does with its extents; the contract tests check what it writes. */
class OutputWriterTest extends PoolTestBase {
  private SpillStore store;
  private Counting source;

  @BeforeEach
  void openStore() throws IOException {
    store = SpillStore.open(configWithDisk(3).build());
    source = new Counting(store.openLease(APP));
  }

  @AfterEach
  void closeStore() throws IOException {
    store.close();
  }

  @Test
  void piecesOfAnySizeComeOutWhole() throws Exception {
    Random random = seeded("piecesOfAnySizeComeOutWhole");
    byte[] expected = new byte[9_000_000];
    random.nextBytes(expected);
    try (OutputWriter writer = writer(source, 1)) {
      writer.beginRun(0);
      for (int done = 0; done < expected.length; ) {
        int most = random.nextInt(8) == 0 ? 2_500_000 : 70_000;
        int length = Math.min(expected.length - done, 1 + random.nextInt(most));
        if (random.nextBoolean()) {
          writer.reserve(1 + random.nextInt(100)); // asked for, not used
        }
        ByteBuffer window = writer.reserve(length);
        assertTrue(window.remaining() >= length, "too small a window");
        if (random.nextBoolean()) {
          window.put(window.position(), expected, done, length);
        } else {
          window.put(expected, done, length);
        }
        writer.advance(length);
        done += length;
      }
      WrittenRun run = writer.endRun(0, 0);
      assertEquals(BlockChecksumsTest.naive(expected), run.checksums());
      assertArrayEquals(expected, Outputs.bytes(writer, run));
      WriterStats stats = writer.stats();
      assertEquals(expected.length, stats.memoryBytes() + stats.diskBytes());
      assertTrue(stats.memoryBytes() > 0 && stats.diskBytes() > 0, stats.toString());
    }
  }

  @Test
  void aRunThatIsAllThereKeepsTheChecksumItCameWith() throws Exception {
    byte[] expected = new byte[3_000_000];
    seeded("aRunThatIsAllThereKeepsTheChecksumItCameWith").nextBytes(expected);
    int[] further = IntStream.range(0, 91).toArray();
    BlockChecksums made = BlockChecksums.of(42, further);
    try (OutputWriter writer = writer(source, 2)) {
      WrittenRun given = writer.writeRun(1, ByteBuffer.wrap(expected), made, 7);
      writer.beginRun(0);
      writer.write(expected, 0, expected.length);
      WrittenRun summed = writer.endRun(0, 0);
      WrittenRun again =
          writer.writeRun(1, ByteBuffer.wrap(expected, 10, 100), BlockChecksums.of(43), 1);
      assertEquals(
          List.of(made, BlockChecksumsTest.naive(expected), BlockChecksums.of(43)),
          writer.runs().stream().map(WrittenRun::checksums).toList());
      assertEquals(
          List.of(3_000_000L, 3_000_000L, 100L),
          writer.runs().stream().map(WrittenRun::lengthBytes).toList());
      assertEquals(7, given.records());
      for (WrittenRun run : List.of(given, summed)) {
        assertArrayEquals(expected, Outputs.bytes(writer, run));
      }
      assertArrayEquals(Arrays.copyOfRange(expected, 10, 110), Outputs.bytes(writer, again));
    }
  }

  @Test
  void aReservationThatIsNotUsedLeavesNoTrace() throws Exception {
    byte[] first = new byte[(256 << 10) - 10];
    Arrays.fill(first, (byte) 1);
    byte[] expected = Arrays.copyOf(first, first.length + 5);
    Arrays.fill(expected, first.length, expected.length, (byte) 2);
    try (OutputWriter writer = writer(source, 1)) {
      writer.beginRun(0);
      writer.write(first, 0, first.length);
      writer.reserve(100); // more than the extent has left
      writer.reserve(5).put(expected, first.length, 5);
      writer.advance(5);
      assertArrayEquals(expected, Outputs.bytes(writer, writer.endRun(0, 0)));
    }
  }

  @Test
  void aWindowUsuallyHoldsMuchMoreThanAskedFor() throws Exception {
    try (OutputWriter writer = writer(source, 1)) {
      writer.beginRun(0);
      assertTrue(writer.reserve(10).remaining() >= 200_000);
      writer.endRun(0, 0);
    }
  }

  @Test
  void capacityIsReservedInOneMessage() throws Exception {
    try (OutputWriter writer = writer(source, 1)) {
      writer.reserveCapacity(2_100_000);
      fill(writer, 2_000_000);
      writer.reserveCapacity(1);
      writer.commit(id(1));
    }
    assertEquals(1, source.leases);
    assertEquals(1, source.releases);
    assertEquals(0, store.stats().memory().leasedBytes());
    assertTrue(store.stats().memory().committedBytes() < 2_000_000 + 3 * BLOCK_BYTES);
  }

  @Test
  void anEmptyOutputTakesOneBlock() throws Exception {
    try (OutputWriter writer = writer(source, 1000)) {
      writer.commit(id(1));
    }
    CommittedOutput output = store.find(id(1)).orElseThrow();
    assertEquals(0, output.totalBytes());
    assertEquals(List.of(), output.runs(999));
    assertEquals(BLOCK_BYTES, store.stats().memory().usedBytes());
    assertThrows(IllegalArgumentException.class, () -> output.runs(1000));
    assertThrows(IllegalArgumentException.class, () -> output.runs(-1));
  }

  @Test
  void onlyOneExtentIsMappedAtATime() throws Exception {
    source.release(source.lease(3L * SEGMENT_BYTES)); // waits until the store has mapped them all
    long before = OffHeap.mappedBytes();
    try (OutputWriter writer = writer(source, 1)) {
      for (int i = 0; i < 20; i++) {
        fill(writer, 100_000);
        assertTrue(OffHeap.mappedBytes() - before <= SEGMENT_BYTES);
      }
    }
    assertEquals(before, OffHeap.mappedBytes());
  }

  /** However long the extents are that it has leased. */
  @Test
  void noMoreOfAnExtentIsMappedThanTheTargetSays() throws Exception {
    source.release(source.lease(3L * SEGMENT_BYTES)); // waits until the store has mapped them all
    long before = OffHeap.mappedBytes();
    int mostBytes = 6 * BLOCK_BYTES;
    try (OutputWriter writer =
        WriteTarget.mapped(source, medium(), mostBytes + 1).writer(1, SEGMENT_BYTES)) {
      writer.reserveCapacity(2_100_000);
      byte[] expected = new byte[700_000];
      for (int i = 0; i < 3; i++) {
        Arrays.fill(expected, (byte) i);
        writer.beginRun(0);
        for (int done = 0; done < expected.length; done += 10_000) {
          writer.write(expected, done, 10_000);
          long mappedBytes = OffHeap.mappedBytes() - before;
          assertTrue(mappedBytes <= mostBytes, mappedBytes + " bytes");
        }
        assertArrayEquals(expected, Outputs.bytes(writer, writer.endRun(expected.length, 1)));
      }
      writer.commit(id(1));
    }
    assertEquals(2, source.leases, "with the one that waited");
    assertEquals(3, store.find(id(1)).orElseThrow().runs(0).size());
    assertEquals(0, store.stats().memory().leasedBytes());
  }

  @Test
  void callsOutOfOrderAreRefused() throws Exception {
    try (OutputWriter writer = writer(source, 2)) {
      assertThrows(IllegalStateException.class, () -> writer.endRun(0, 0));
      assertThrows(IllegalStateException.class, () -> writer.write(new byte[1], 0, 1));
      assertThrows(IllegalArgumentException.class, () -> writer.beginRun(2));
      assertThrows(IllegalArgumentException.class, () -> writer.beginRun(-1));
      writer.beginRun(1);
      assertThrows(IllegalStateException.class, () -> writer.beginRun(0));
      assertThrows(IllegalStateException.class, () -> writer.commit(id(1)));
      int most = writer.reserve(1).remaining();
      assertThrows(IllegalStateException.class, () -> writer.advance(most + 1));
      assertThrows(IllegalStateException.class, () -> writer.advance(-1));
      WrittenRun run = writer.endRun(0, 0);
      assertEquals(List.of(), writer.rangesOf(run));
      writer.commit(id(1));
      assertThrows(IllegalStateException.class, () -> writer.commit(id(1)));
      assertThrows(IllegalStateException.class, () -> writer.beginRun(0));
    }
    assertThrows(IllegalArgumentException.class, () -> writer(source, 0));
  }

  @Test
  void aRewriteReplacesTheRunsOfAnAbandonedWriter() throws Exception {
    Random random = seeded("aRewriteReplacesTheRunsOfAnAbandonedWriter");
    byte[] merged = new byte[300_000];
    random.nextBytes(merged);
    try (OutputWriter rewriter = writer(source, 1)) {
      try (OutputWriter spills = writer(source, 1)) {
        fill(spills, 200_000);
        fill(spills, 100_000);
        rewriter.beginRun(0);
        rewriter.write(merged, 0, merged.length);
        rewriter.endRun(merged.length + 1L, merged.length / 7);
      }
      rewriter.commit(id(1));
    }
    Outputs.check(store, id(1), new Outputs.Content(1, List.of(0), List.of(merged)));
    store.freeApplication(APP);
    assertAllFree(store);
  }

  @Test
  void anOutputCannotBeCommittedTwiceWithOtherContent() throws Exception {
    Random random = seeded("anOutputCannotBeCommittedTwiceWithOtherContent");
    Outputs.Content first = commit(source, id(1), random, 10_000);
    assertThrows(IOException.class, () -> commit(source, id(1), random, 10_000));
    Outputs.check(store, id(1), first);
  }

  private static void fill(OutputWriter writer, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    Arrays.fill(bytes, (byte) 7);
    writer.beginRun(0);
    writer.write(bytes, 0, lengthBytes);
    writer.endRun(lengthBytes, 1);
  }

  /** Counts the messages that a connection would send. */
  private static final class Counting implements ForwardedSource {
    private final Lease lease;
    private int leases;
    private int releases;

    Counting(Lease lease) {
      this.lease = lease;
    }

    @Override
    public ExtentSource source() {
      return lease;
    }

    @Override
    public List<Extent> lease(long lengthBytes) throws IOException {
      leases++;
      return lease.lease(lengthBytes);
    }

    @Override
    public Extent leaseContiguous(long lengthBytes) throws IOException {
      leases++;
      return lease.leaseContiguous(lengthBytes);
    }

    @Override
    public void release(List<Extent> extents) throws IOException {
      releases++;
      lease.release(extents);
    }
  }
}
