package io.sluice.mapreduce.stage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link StageArea} and {@link StagedRun} promise. */
@Timeout(300)
abstract class StageAreaContract {
  abstract StageArea area();

  /** Length of a run of so many bytes as it is stored. */
  long storedBytes(long lengthBytes) {
    return lengthBytes;
  }

  /** Bytes that staged runs hold now. */
  abstract long heldBytes() throws IOException;

  /** The medium takes no more than so many bytes from now on. */
  abstract void limit(long lengthBytes) throws IOException;

  /** Flips a bit of the only run there is. */
  abstract void damage() throws IOException;

  private static byte[] random(int length) {
    byte[] bytes = new byte[length];
    new Random(length).nextBytes(bytes);
    return bytes;
  }

  private StagedRun staged(byte[] bytes) throws IOException {
    StagedRun run = area().create("a run");
    for (int done = 0; done < bytes.length; ) {
      int length = Math.min(10_000, bytes.length - done);
      run.write(bytes, done, length);
      done += length;
    }
    run.finish();
    return run;
  }

  static byte[] readAll(RunInput input) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[7777];
    for (int n = input.read(buffer, 0, buffer.length);
        n >= 0;
        n = input.read(buffer, 0, buffer.length)) {
      bytes.write(buffer, 0, n);
    }
    return bytes.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100_000, 5_000_000})
  void whatWasWrittenIsRead(int length) throws IOException {
    byte[] bytes = random(length);
    StagedRun run = staged(bytes);
    assertEquals(storedBytes(length), run.lengthBytes());
    assertEquals(storedBytes(length), area().memoryBytes() + area().diskBytes());
    try (RunInput input = run.open()) {
      assertEquals(storedBytes(length), input.remainingBytes());
      assertArrayEquals(bytes, readAll(input));
      assertEquals(0, input.remainingBytes());
      assertEquals(-1, input.read(new byte[1], 0, 1));
    }
    assertEquals(0, heldBytes());
  }

  @Test
  void closingTheInputGivesTheRoomBack() throws IOException {
    RunInput input = staged(random(100_000)).open();
    assertTrue(heldBytes() >= 100_000);
    input.close();
    assertEquals(0, heldBytes());
    input.close();
  }

  @Test
  void closingAnUnfinishedRunGivesTheRoomBack() throws IOException {
    StagedRun run = area().create("cut short");
    run.expect(100_000);
    run.write(random(1000), 0, 1000);
    run.close();
    assertEquals(0, heldBytes());
    assertEquals(0, area().memoryBytes() + area().diskBytes(), "nothing was staged");
  }

  @Test
  void runsDoNotMix() throws IOException {
    StagedRun a = area().create("a");
    StagedRun b = area().create("b");
    byte[] bytes = random(200_000);
    for (int i = 0; i < bytes.length; i += 1000) {
      a.write(bytes, i, 500);
      b.write(bytes, i + 500, 500);
    }
    a.finish();
    b.finish();
    try (RunInput aIn = a.open();
        RunInput bIn = b.open()) {
      byte[] aBytes = readAll(aIn);
      byte[] bBytes = readAll(bIn);
      for (int i = 0; i < aBytes.length; i++) {
        assertEquals(bytes[i / 500 * 1000 + i % 500], aBytes[i]);
        assertEquals(bytes[i / 500 * 1000 + 500 + i % 500], bBytes[i]);
      }
    }
  }

  @Test
  void damageIsNoticed() throws IOException {
    try (RunInput input = staged(random(100_000)).open()) {
      damage();
      IOException e = assertThrows(IOException.class, () -> readAll(input));
      assertTrue(e.getMessage().startsWith("run a run: CRC32C"), e.getMessage());
    }
  }

  private static int openFiles() {
    return Objects.requireNonNull(new File("/proc/self/fd").list(), "descriptors").length;
  }

  static byte[] numbered(int number, int length) {
    byte[] bytes = new byte[length];
    new Random(number).nextBytes(bytes);
    return bytes;
  }

  final StagedRun staged(int number, int length) throws IOException {
    StagedRun run = area().create("run " + number);
    try {
      run.expect(length);
      run.write(numbered(number, length), 0, length);
      run.finish();
      return run;
    } catch (IOException e) {
      run.close();
      throw e;
    }
  }

  private static void read(RunInput input, byte[] bytes, int from, int to) throws IOException {
    for (int done = from; done < to; ) {
      int n = input.read(bytes, done, to - done);
      assertTrue(n > 0, "read " + n + " bytes");
      done += n;
    }
  }

  /** Nothing that is scarce is held for each run: not while they are written, nor read. */
  @Test
  void tenThousandSmallRunsTakeFewFilesAndLittleMemory() throws IOException {
    int count = 10_000;
    int lengthBytes = 1000;
    int mergedAtOnce = 1024;
    int filesBefore = openFiles();
    long offHeapBefore = OffHeap.allocatedBytes();
    List<RunInput> inputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inputs.add(staged(i, lengthBytes).open());
    }
    assertTrue(openFiles() - filesBefore < 10, openFiles() - filesBefore + " files");
    assertTrue(OffHeap.allocatedBytes() - offHeapBefore <= 2 << 20, "off-heap memory for writing");
    assertTrue(heldBytes() < 2L * count * lengthBytes, heldBytes() + " bytes are held");
    area().trim();
    assertEquals(offHeapBefore, OffHeap.allocatedBytes(), "off-heap memory after writing");
    byte[][] bytes = new byte[count][lengthBytes];
    for (int i = 0; i < mergedAtOnce; i++) {
      read(inputs.get(i), bytes[i], 0, lengthBytes / 2);
    }
    assertTrue(openFiles() - filesBefore < 40, openFiles() - filesBefore + " files");
    for (int i = 0; i < count; i++) {
      read(inputs.get(i), bytes[i], i < mergedAtOnce ? lengthBytes / 2 : 0, lengthBytes);
      inputs.get(i).close();
      assertArrayEquals(numbered(i, lengthBytes), bytes[i], "run " + i);
    }
    assertEquals(0, heldBytes());
    assertTrue(openFiles() - filesBefore < 10, openFiles() - filesBefore + " files");
  }

  /** A long run has a volume of its own: more of them than may be open. */
  @Test
  void manyLongRunsAreReadTogether() throws IOException {
    int count = 34;
    int lengthBytes = 4_194_305;
    int filesBefore = openFiles();
    List<RunInput> inputs = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      inputs.add(staged(i, lengthBytes).open());
    }
    area().trim();
    byte[][] actual = new byte[count][lengthBytes];
    for (int from = 0; from < lengthBytes; from += lengthBytes / 5) {
      for (int i = 0; i < count; i++) {
        read(inputs.get(i), actual[i], from, from + lengthBytes / 5);
      }
      assertTrue(openFiles() - filesBefore < 60, openFiles() - filesBefore + " files");
    }
    for (int i = 0; i < count; i++) {
      assertTrue(Arrays.equals(numbered(i, lengthBytes), actual[i]), "run " + i);
    }
    for (RunInput input : inputs) {
      input.close();
    }
    assertEquals(0, heldBytes());
  }

  /** Short, long, empty and cut-short runs of several writers, read in any order. */
  @Test
  void writersAtOneTimeDoNotMix() throws Exception {
    long seed = TestSeed.next();
    ExecutorService writers = Executors.newFixedThreadPool(4);
    try {
      List<Future<Map<Integer, StagedRun>>> results = new ArrayList<>();
      for (int w = 0; w < 4; w++) {
        int writer = w;
        results.add(writers.submit(() -> writeSome(new Random(seed + writer), 1 + writer * 1000)));
      }
      Map<Integer, StagedRun> runs = new HashMap<>();
      for (Future<Map<Integer, StagedRun>> result : results) {
        runs.putAll(result.get());
      }
      List<Integer> order = new ArrayList<>(runs.keySet());
      Collections.shuffle(order, new Random(seed));
      for (int number : order) {
        try (RunInput input = runs.get(number).open()) {
          byte[] read = readAll(input);
          assertEquals(storedBytes(read.length), runs.get(number).lengthBytes());
          assertArrayEquals(numbered(number, read.length), read, "run " + number);
        }
      }
      assertEquals(0, heldBytes());
    } finally {
      writers.shutdownNow();
    }
  }

  private Map<Integer, StagedRun> writeSome(Random random, int first) throws IOException {
    Map<Integer, StagedRun> runs = new HashMap<>();
    for (int number = first; number < first + 40; number++) {
      int length =
          switch (random.nextInt(8)) {
            case 0 -> 0;
            case 1 -> 200_000;
            case 2 -> random.nextInt(8) == 0 ? 4_200_000 : 300_000;
            default -> random.nextInt(3000);
          };
      if (random.nextInt(5) == 0) {
        StagedRun cutShort = area().create("cut short");
        cutShort.expect(length);
        cutShort.write(numbered(-number, length), 0, length / 2);
        cutShort.close();
      }
      runs.put(number, staged(number, length));
    }
    return runs;
  }

  @Test
  void closingTheAreaClosesWhatNobodyHasClosed() throws IOException {
    int filesBefore = openFiles();
    long offHeapBefore = OffHeap.allocatedBytes();
    RunInput half = staged(1, 100_000).open();
    half.read(new byte[10], 0, 10);
    staged(2, 5_000_000);
    StagedRun unfinished = area().create("unfinished");
    unfinished.write(new byte[1000], 0, 1000);
    area().close();
    area().close();
    IOException e = assertThrows(IOException.class, () -> unfinished.write(new byte[1], 0, 1));
    assertTrue(e.getMessage().contains("is closed"), e.getMessage());
    assertThrows(IOException.class, () -> area().create("late"));
    unfinished.close();
    half.close();
    assertEquals(0, heldBytes());
    assertEquals(offHeapBefore, OffHeap.allocatedBytes());
    assertTrue(openFiles() - filesBefore < 10, openFiles() - filesBefore + " files");
  }

  @Test
  void aMediumThatFailsInTheMiddleLeavesNothingBehind() throws IOException {
    int filesBefore = openFiles();
    long offHeapBefore = OffHeap.allocatedBytes();
    List<RunInput> inputs = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      inputs.add(staged(i, 1000).open());
    }
    limit(3_000_000);
    assertThrows(
        IOException.class,
        () -> {
          for (int i = 100; i < 1000; i++) {
            inputs.add(staged(i, 200_000).open());
          }
        });
    assertArrayEquals(numbered(0, 1000), readAll(inputs.get(0)), "what came before is as it was");
    for (RunInput input : inputs) {
      input.close();
    }
    assertEquals(0, heldBytes());
    area().close();
    assertEquals(offHeapBefore, OffHeap.allocatedBytes());
    assertTrue(openFiles() - filesBefore < 10, openFiles() - filesBefore + " files");
  }
}
