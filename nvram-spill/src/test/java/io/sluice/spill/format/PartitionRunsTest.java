package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputIndex.IndexedRun;
import io.sluice.spill.format.PartitionRuns.RunEntry;
import io.sluice.spill.format.Run.RawLengths;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** What is read of an index to answer a question. */
class PartitionRunsTest {
  private static final int PARTITIONS = 3;
  private static final int RUNS_OF_EACH = 1_000;
  private static final int LENGTH_BYTES = 2 * BlockChecksums.BLOCK_BYTES + 1;

  private final ByteBuffer index = OutputIndex.encode(PARTITIONS, written());
  private final OutputIdentity identity =
      new OutputIdentity(
          new OutputId("application_1_0001", "attempt_0"),
          1,
          PARTITIONS,
          PARTITIONS * RUNS_OF_EACH,
          (long) PARTITIONS * RUNS_OF_EACH * LENGTH_BYTES,
          0,
          index.capacity(),
          0);
  private long readBytes;
  private int reads;

  private static List<WrittenRun> written() {
    List<WrittenRun> runs = new ArrayList<>();
    for (int i = 0; i < PARTITIONS * RUNS_OF_EACH; i++) {
      BlockChecksums checksums = BlockChecksums.of(i, i + 1, i + 2);
      runs.add(
          new WrittenRun(
              i % PARTITIONS,
              (long) i * LENGTH_BYTES,
              LENGTH_BYTES,
              LENGTH_BYTES,
              i % 3 == 0 ? 0 : 1 << i % 3,
              i,
              checksums));
    }
    return runs;
  }

  private ByteBuffer read(long offsetBytes, int lengthBytes) {
    return read(index, offsetBytes, lengthBytes);
  }

  private ByteBuffer read(ByteBuffer from, long offsetBytes, int lengthBytes) {
    readBytes += lengthBytes;
    reads++;
    byte[] bytes = new byte[lengthBytes];
    from.get((int) offsetBytes, bytes);
    return ByteBuffer.wrap(bytes);
  }

  private Optional<List<IndexedRun>> decode(int partition, long mostBytes) throws IOException {
    return OutputIndex.decodeRuns(this::read, partition, partition + 1, mostBytes, identity);
  }

  @Test
  void eachRunIsAsAmongAll() throws IOException {
    for (int partition = 0; partition < PARTITIONS; partition++) {
      List<IndexedRun> all = decode(partition, Long.MAX_VALUE).orElseThrow();
      PartitionRuns runs = new PartitionRuns(this::read, partition, identity);
      assertEquals(RUNS_OF_EACH, runs.count());
      for (int i = 0; i < RUNS_OF_EACH; i++) {
        RunEntry entry = runs.next();
        assertEquals(entry, runs.run(i));
        int[] further = {runs.nextFurtherCrc(), runs.nextFurtherCrc()};
        assertFalse(runs.hasFurtherCrc());
        Run run =
            new Run(
                partition,
                i,
                entry.lengthBytes(),
                RawLengths.runBytes(entry.rawLengths()),
                RawLengths.chunkBytes(entry.rawLengths()),
                entry.records(),
                BlockChecksums.of(entry.firstCrc32c(), further));
        assertEquals(all.get(i), new IndexedRun(run, entry.logicalOffsetBytes()));
      }
      assertThrows(IllegalArgumentException.class, runs::next);
    }
  }

  /** Each is a turn at a device. The defect was: one for the checksums of each run. */
  @Test
  void allOfThemTakeFewReads() throws IOException {
    PartitionRuns runs = new PartitionRuns(this::read, 1, identity);
    for (int i = 0; i < RUNS_OF_EACH; i++) {
      runs.next();
      while (runs.hasFurtherCrc()) {
        runs.nextFurtherCrc();
      }
    }
    assertEquals(3, reads, "the table, entries, checksums");
  }

  /** They are one behind the other in the index, and so they are read. */
  @Test
  void checksumsOfALongRunAreReadInWindows() throws IOException {
    int[] further = IntStream.range(0, 40_000).toArray();
    long lengthBytes = (further.length + 1L) * BlockChecksums.BLOCK_BYTES;
    WrittenRun run =
        new WrittenRun(0, 0, lengthBytes, lengthBytes, 0, 1, BlockChecksums.of(-1, further));
    WrittenRun behind = new WrittenRun(0, lengthBytes, 5, 5, 0, 1, BlockChecksums.of(-2));
    ByteBuffer longIndex = OutputIndex.encode(1, List.of(run, behind));
    OutputIdentity longIdentity =
        new OutputIdentity(identity.id(), 1, 1, 2, lengthBytes + 5, 0, longIndex.capacity(), 0);
    PartitionRuns runs =
        new PartitionRuns(
            (offsetBytes, count) -> read(longIndex, offsetBytes, count), 0, longIdentity);
    runs.next();
    for (int crc : further) {
      assertTrue(runs.hasFurtherCrc());
      assertEquals(crc, runs.nextFurtherCrc());
    }
    assertFalse(runs.hasFurtherCrc());
    runs.next();
    assertFalse(runs.hasFurtherCrc());
    assertEquals(2 + 3, reads);
  }

  @Test
  void checksumsOfARunMayBeLeftOut() throws IOException {
    PartitionRuns runs = new PartitionRuns(this::read, 1, identity);
    runs.next();
    runs.nextFurtherCrc();
    runs.next();
    RunEntry third = runs.next();
    assertEquals(third.firstCrc32c() + 1, runs.nextFurtherCrc());
  }

  /** A reader comes for one after the other. */
  @Test
  void oneRunIsReadWithSomeBehindIt() throws IOException {
    PartitionRuns runs = new PartitionRuns(this::read, 1, identity);
    for (int ordinal = 500; ordinal < 564; ordinal++) {
      assertEquals(ordinal, runs.run(ordinal).ordinal());
    }
    assertEquals(2, reads);
    assertTrue(readBytes < 4 << 10, "read " + readBytes);
    assertEquals(499, runs.run(499).ordinal());
    assertEquals(RUNS_OF_EACH - 1, runs.run(RUNS_OF_EACH - 1).ordinal());
    assertEquals(4, reads);
  }

  /** Its owner can write the index of an output in memory after the commit. */
  @Test
  void entriesThatAllClaimTheSameChecksumsAreNotBelieved() throws IOException {
    forge(1, 40, 0);
    PartitionRuns runs = new PartitionRuns(this::read, 0, identity);
    runs.next();
    String message = assertThrows(CorruptOutputException.class, runs::next).getMessage();
    assertTrue(message.contains("further CRCs of a run begin at 0, expected 2"), message);
  }

  @Test
  void entriesThatAreTogetherLongerThanTheDataAreNotBelieved() throws IOException {
    long lengthBytes = identity.dataLengthBytes() / 2 + 1;
    int further = (int) BlockChecksums.furtherBlocks(lengthBytes);
    for (int entry = 0; entry < 2; entry++) {
      index.putLong(entryOffset(entry) + 8, 0);
      index.putLong(entryOffset(entry) + 16, lengthBytes);
      forge(entry, 40, entry * further);
    }
    PartitionRuns runs = new PartitionRuns(this::read, 0, identity);
    runs.next();
    String message = assertThrows(CorruptOutputException.class, runs::next).getMessage();
    assertTrue(message.contains("longer than the"), message);
  }

  private static int entryOffset(int entry) {
    return (int) OutputIndex.runsOffset(PARTITIONS) + entry * OutputIndex.RUN_BYTES;
  }

  /** Changes a number of an entry, and its checksum to what fits. */
  private void forge(int entry, int offsetInEntry, int value) {
    int offset = entryOffset(entry);
    index.putInt(offset + offsetInEntry, value);
    int crcOffset = OutputIndex.RUN_BYTES - Integer.BYTES;
    index.putInt(offset + crcOffset, BlockChecksums.crc32c(index.array(), offset, crcOffset));
  }

  @Test
  void aRunThatIsNotThereIsNone() throws IOException {
    PartitionRuns runs = new PartitionRuns(this::read, 2, identity);
    for (int ordinal : new int[] {-1, RUNS_OF_EACH, Integer.MAX_VALUE}) {
      assertThrows(IllegalArgumentException.class, () -> runs.run(ordinal));
    }
  }

  @Test
  void aChangedEntryIsNotBelieved() throws IOException {
    index.putLong(entryOffset(5) + 32, -7);
    PartitionRuns runs = new PartitionRuns(this::read, 0, identity);
    for (int i = 0; i < 5; i++) {
      runs.next();
    }
    assertThrows(CorruptOutputException.class, runs::next);
    assertThrows(CorruptOutputException.class, () -> runs.run(5));
    runs.run(6);
  }

  /** The defect was: all was decoded first, and then seen to be too much. */
  @Test
  void entriesAndChecksumsThatAreTooMuchAreNotRead() throws IOException {
    long entriesBytes = RUNS_OF_EACH * OutputIndex.RUN_BYTES;
    assertTrue(decode(0, entriesBytes - 1).isEmpty());
    assertTrue(readBytes < 100, "read " + readBytes);
    readBytes = 0;
    assertTrue(decode(0, entriesBytes + 2 * RUNS_OF_EACH * Integer.BYTES - 1).isEmpty());
    assertTrue(readBytes < entriesBytes + 100, "read " + readBytes);
    assertTrue(decode(0, entriesBytes + 2 * RUNS_OF_EACH * Integer.BYTES).isPresent());
  }
}
