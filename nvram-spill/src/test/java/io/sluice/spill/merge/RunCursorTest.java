package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.TestRecord;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RunCursorTest {
  @ParameterizedTest
  @ValueSource(ints = {0, 10, 11, 64, 1000, 100_000})
  void readsRecordsOfAllSizesThroughAnyBlock(int blockBytes) throws IOException {
    Random random = TestSeed.random();
    for (int round = 0; round < 20; round++) {
      List<TestRecord> records = randomRecords(random, 100);
      RunInput input = new TrickleRunInput(TestRecord.run(records), random.nextLong());
      assertEquals(records, readAll(input, blockBytes));
    }
  }

  @Test
  void readsARunWithoutRecordsAndStaysAtItsEnd() throws IOException {
    TrickleRunInput input = new TrickleRunInput(TestRecord.run(List.of()), 1);
    RunCursor cursor = new RunCursor("empty", input, 10);
    assertFalse(cursor.advance());
    assertFalse(cursor.advance());
    assertEquals(1, input.closeCount);
  }

  @Test
  void closesTheInputWithTheLastRecordStillThere() throws IOException {
    TestRecord record = new TestRecord(0, new byte[] {1}, new byte[] {2, 3});
    TrickleRunInput input = new TrickleRunInput(TestRecord.run(List.of(record)), 1);
    RunCursor cursor = new RunCursor("one", input, 10);
    assertTrue(cursor.advance());
    assertEquals(1, input.closeCount);
    assertEquals(record, current(cursor));
    assertFalse(cursor.advance());
  }

  @Test
  void readsAHeaderWithMoreBytesThanItNeeds() throws IOException {
    byte[] run = {(byte) 0x8f, 1, (byte) 0x8e, 0, 1, 'k', 'v', -1, -1};
    List<TestRecord> expected = List.of(new TestRecord(0, new byte[] {'k'}, new byte[] {'v'}));
    assertEquals(expected, readAll(new TrickleRunInput(run, 2), 10));
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 40, 4096})
  void failsOnARunCutShortAnywhere(int blockBytes) {
    byte[] run = TestRecord.run(randomRecords(new Random(7), 30));
    for (int length = 0; length < run.length; length++) {
      RunInput input = new TrickleRunInput(Arrays.copyOf(run, length), length);
      IOException e =
          assertThrows(IOException.class, () -> readAll(input, blockBytes), "cut at " + length);
      assertTrue(e.getMessage().contains("run attempt_1, position "), e.getMessage());
      assertTrue(e.getMessage().contains("cut short"), e.getMessage());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 40, 4096})
  void failsOnBytesBehindTheEnd(int blockBytes) {
    byte[] run = TestRecord.run(randomRecords(new Random(8), 30));
    for (int more = 1; more < 20; more++) {
      RunInput input = new TrickleRunInput(Arrays.copyOf(run, run.length + more), more);
      IOException e = assertThrows(IOException.class, () -> readAll(input, blockBytes));
      assertTrue(e.getMessage().contains("goes on behind it"), e.getMessage());
    }
  }

  @Test
  void failsOnBytesBehindTheEndOfARunWithoutRecords() {
    RunInput input = new TrickleRunInput(new byte[] {-1, -1, 0}, 1);
    IOException e = assertThrows(IOException.class, () -> readAll(input, 10));
    assertTrue(e.getMessage().contains("goes on behind it"), e.getMessage());
  }

  @Test
  void failsBeforeTheLastRecordOnBytesBehindAnEndThatFillsTheBlock() throws IOException {
    byte[] run = TestRecord.run(randomRecords(new Random(8), 30));
    byte[] longer = Arrays.copyOf(run, run.length + 1);
    RunInput input =
        VerifiedRunInputTest.open(
            longer, longer.length, BlockChecksummer.sum(ByteBuffer.wrap(longer)));
    RunCursor cursor = new RunCursor("attempt_1", input, run.length);
    for (int i = 0; i < 29; i++) {
      assertTrue(cursor.advance());
    }
    assertThrows(IOException.class, cursor::advance);
  }

  /** A flipped bit may leave a parsable run; then the checksum is what finds it. */
  @Test
  void failsOnEveryBitFlippedInAChecksummedRun() {
    byte[] run = TestRecord.run(randomRecords(new Random(9), 12));
    BlockChecksums checksums = BlockChecksummer.sum(ByteBuffer.wrap(run));
    for (int bit = 0; bit < run.length * 8; bit++) {
      byte[] damaged = run.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      RunInput input = VerifiedRunInputTest.open(damaged, run.length, checksums);
      assertThrows(IOException.class, () -> readAll(input, 64), "bit " + bit);
    }
  }

  @Test
  void failsOnGarbageAndTakesNoMemoryForIt() {
    byte[] hugeKey = {(byte) 0x8c, 0x7f, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    IOException e =
        assertThrows(IOException.class, () -> readAll(new TrickleRunInput(hugeKey, 1), 10));
    assertTrue(e.getMessage().contains("key of 2130706432"), e.getMessage());
    hugeKey[2] = hugeKey[3] = hugeKey[4] = -1;
    e = assertThrows(IOException.class, () -> readAll(new TrickleRunInput(hugeKey, 1), 10));
    assertTrue(e.getMessage().contains("2147483655 bytes, expected at most"), e.getMessage());
    for (byte first : new byte[] {-2, -100, -117, -128}) {
      byte[] malformed = {first, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
      e = assertThrows(IOException.class, () -> readAll(new TrickleRunInput(malformed, 1), 10));
      assertTrue(e.getMessage().contains("malformed and "), e.getMessage());
    }
    byte[] halfAnEnd = {-1, 0, -1, -1};
    e = assertThrows(IOException.class, () -> readAll(new TrickleRunInput(halfAnEnd, 1), 10));
    assertTrue(e.getMessage().contains("-1 and 0, expected"), e.getMessage());
  }

  @Test
  void failsOnAnInputThatDeliversNothing() {
    RunInput stuck =
        new RunInput() {
          @Override
          public int read(byte[] dst, int offset, int lengthBytes) {
            return 0;
          }

          @Override
          public long remainingBytes() {
            return 1;
          }

          @Override
          public void close() {}
        };
    assertThrows(IOException.class, () -> readAll(stuck, 100));
  }

  static List<TestRecord> randomRecords(Random random, int count) {
    List<TestRecord> records = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[random.nextInt(12)];
      byte[] value = new byte[random.nextInt(8) == 0 ? random.nextInt(700) : random.nextInt(9)];
      random.nextBytes(key);
      random.nextBytes(value);
      records.add(new TestRecord(0, key, value));
    }
    return records;
  }

  static TestRecord current(RunCursor cursor) {
    int key = cursor.keyOffset();
    int value = cursor.valueOffset();
    return new TestRecord(
        0,
        Arrays.copyOfRange(cursor.bytes(), key, key + cursor.keyLength()),
        Arrays.copyOfRange(cursor.bytes(), value, value + cursor.valueLength()));
  }

  private static List<TestRecord> readAll(RunInput input, int blockBytes) throws IOException {
    List<TestRecord> records = new ArrayList<>();
    try (RunCursor cursor = new RunCursor("attempt_1", input, blockBytes)) {
      while (cursor.advance()) {
        records.add(current(cursor));
      }
    }
    return records;
  }
}
