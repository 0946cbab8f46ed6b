package io.sluice.spill.format;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** An index is checked whole, and read a window at a time. */
class IndexVerifierTest {
  private static final int PARTITIONS = 40_000; // their table is longer than a window
  private static final int RUN_BYTES = BlockChecksums.BLOCK_BYTES + 1;

  /** Where the second window of the table begins, with the last entry of the first. */
  private static final int SECOND_TABLE_OFFSET =
      IndexVerifier.WINDOW_BYTES - OutputIndex.PARTITION_BYTES;

  private final List<Integer> reads = new ArrayList<>();
  private Runnable beforeSecondTable = () -> {};

  /** Two spills have a run for each partition but for every fifth, and the last ones. */
  private static List<WrittenRun> runs(int partitions) {
    List<WrittenRun> runs = new ArrayList<>();
    for (int spill = 0; spill < 2; spill++) {
      for (int p = 0; p < partitions - 10; p++) {
        if (p % 5 != 0) {
          runs.add(run(p, (long) runs.size() * RUN_BYTES, RUN_BYTES));
        }
      }
    }
    return runs;
  }

  private static WrittenRun run(int partition, long offsetBytes, long lengthBytes) {
    int[] further = new int[(int) BlockChecksums.furtherBlocks(lengthBytes)];
    return new WrittenRun(
        partition, offsetBytes, lengthBytes, lengthBytes, 0, 1, BlockChecksums.of(7, further));
  }

  private void verify(int partitions, List<WrittenRun> runs) throws IOException {
    verify(OutputIndex.encode(partitions, runs), partitions, runs);
  }

  private void verify(ByteBuffer index, int partitions, List<WrittenRun> runs) throws IOException {
    verify(index, partitions, runs, dataBytes(runs));
  }

  private static long dataBytes(List<WrittenRun> runs) {
    return runs.stream().mapToLong(WrittenRun::lengthBytes).sum();
  }

  private void verify(ByteBuffer index, int partitions, List<WrittenRun> runs, long dataBytes)
      throws IOException {
    OutputIdentity identity =
        new OutputIdentity(
            new OutputId("application_1_0001", "attempt_0"),
            1,
            partitions,
            runs.size(),
            dataBytes,
            dataBytes,
            index.capacity(),
            BlockChecksums.crc32c(index.array(), 0, index.capacity()));
    IndexVerifier.verify(
        (offsetBytes, lengthBytes) -> {
          reads.add(lengthBytes);
          if (offsetBytes == SECOND_TABLE_OFFSET) {
            beforeSecondTable.run();
          }
          byte[] bytes = new byte[lengthBytes];
          index.get((int) offsetBytes, bytes);
          return ByteBuffer.wrap(bytes);
        },
        identity);
  }

  private static void refused(String why, Executable verifying) {
    String message = assertThrows(CorruptOutputException.class, verifying).getMessage();
    assertTrue(message.contains(why), message);
  }

  /** Says with which run a partition begins, and that it is so. */
  private static void forge(ByteBuffer index, int partition, int firstRun) {
    ByteBuffer entry = ByteBuffer.allocate(8).putInt(partition).putInt(firstRun);
    index.putInt(partition * OutputIndex.PARTITION_BYTES, firstRun);
    index.putInt(
        partition * OutputIndex.PARTITION_BYTES + 4, BlockChecksums.crc32c(entry.array(), 0, 8));
  }

  @Test
  void aLongIndexIsNeverOnTheHeap() throws Exception {
    List<WrittenRun> runs = runs(PARTITIONS);
    verify(PARTITIONS, runs);
    assertTrue(
        OutputIndex.encodedBytes(PARTITIONS, runs.size(), 0) > 10 * IndexVerifier.WINDOW_BYTES);
    assertTrue(reads.stream().allMatch(bytes -> bytes <= IndexVerifier.WINDOW_BYTES), "" + reads);
  }

  @Test
  void aShortIndexIsReadOnce() throws Exception {
    verify(100, runs(100));
    assertEquals(1, reads.size());
  }

  @Test
  void anIndexWithoutRunsIsRight() throws Exception {
    verify(PARTITIONS, List.of());
    verify(1, List.of());
  }

  @Test
  void runsInAnyOrderAreRight() throws Exception {
    List<WrittenRun> runs = new ArrayList<>();
    long endBytes = 3L * RUN_BYTES;
    runs.add(run(2, 0, RUN_BYTES));
    runs.add(run(1, RUN_BYTES, 0));
    runs.add(run(0, RUN_BYTES, 2 * RUN_BYTES));
    runs.add(run(0, endBytes, 0));
    verify(3, runs);
  }

  @Test
  void aRunThatOverlapsOneFarAwayIsFound() {
    List<WrittenRun> runs = runs(PARTITIONS);
    runs.set(20_000, run(runs.get(20_000).partition(), 3, RUN_BYTES));
    refused("overlaps", () -> verify(PARTITIONS, runs));
  }

  /** No run overlaps another here. */
  @Test
  void bytesThatNoRunHasAreFound() {
    List<WrittenRun> runs = runs(100);
    ByteBuffer index = OutputIndex.encode(100, runs);
    refused("leave some of the", () -> verify(index, 100, runs, dataBytes(runs) + 1));
    List<WrittenRun> gap = List.of(run(0, 0, 5), run(1, 6, 5));
    refused("leave some of the", () -> verify(OutputIndex.encode(2, gap), 2, gap, 11));
  }

  @Test
  void runsOfNoPartitionAreFound() {
    List<WrittenRun> runs = runs(100);
    ByteBuffer index = OutputIndex.encode(100, runs);
    forge(index, 0, 1);
    forge(index, 1, 1);
    refused("partition 0 begins with run 1, expected 0", () -> verify(index, 100, runs));
    forge(index, 0, 0);
    forge(index, 1, 0);
    for (int partition = 90; partition <= 100; partition++) { // behind the last that has runs
      forge(index, partition, runs.size() - 1);
    }
    refused("its partitions have 143 runs, expected 144", () -> verify(index, 100, runs));
  }

  /** The owner of an output in memory can write its index while it is checked. */
  @Test
  void aTableThatChangesBetweenTwoWindowsIsNotBelieved() {
    List<WrittenRun> runs = runs(PARTITIONS);
    ByteBuffer index = OutputIndex.encode(PARTITIONS, runs);
    int firstRun = index.getInt(SECOND_TABLE_OFFSET);
    int partition = SECOND_TABLE_OFFSET / OutputIndex.PARTITION_BYTES;
    beforeSecondTable = () -> forge(index, partition, firstRun + 1);
    refused("begins with run " + (firstRun + 1), () -> verify(index, PARTITIONS, runs));
  }

  @Test
  void anIndexOfAWindowIsReadOnceAndALittleMoreInWindows() throws IOException {
    List<WrittenRun> runs = new ArrayList<>();
    for (int i = 0; i < 5_461; i++) {
      runs.add(run(0, 10L * i, 10));
    }
    assertEquals(IndexVerifier.WINDOW_BYTES, OutputIndex.encodedBytes(1, runs.size(), 0));
    verify(1, runs);
    assertEquals(List.of(IndexVerifier.WINDOW_BYTES), reads);
    reads.clear();
    runs.set(runs.size() - 1, run(0, 54_600, RUN_BYTES)); // with one further CRC
    verify(1, runs);
    int entriesBytes = runs.size() * OutputIndex.RUN_BYTES;
    int tableBytes = 2 * OutputIndex.PARTITION_BYTES;
    assertEquals(List.of(IndexVerifier.WINDOW_BYTES, 4, entriesBytes, tableBytes), reads);
  }

  @Test
  void aChangedEntryIsFoundInEachWindow() {
    List<WrittenRun> runs = runs(PARTITIONS);
    for (int run : new int[] {0, 5461, runs.size() - 1}) {
      ByteBuffer index = OutputIndex.encode(PARTITIONS, runs);
      int entry = (int) OutputIndex.runsOffset(PARTITIONS) + run * OutputIndex.RUN_BYTES;
      index.putLong(entry + 32, 5);
      assertThrows(CorruptOutputException.class, () -> verify(index, PARTITIONS, runs));
    }
    for (int partition : new int[] {0, 32_767, 32_768, PARTITIONS}) {
      ByteBuffer index = OutputIndex.encode(PARTITIONS, runs);
      index.putInt(partition * OutputIndex.PARTITION_BYTES, 1);
      assertThrows(CorruptOutputException.class, () -> verify(index, PARTITIONS, runs));
    }
  }
}
