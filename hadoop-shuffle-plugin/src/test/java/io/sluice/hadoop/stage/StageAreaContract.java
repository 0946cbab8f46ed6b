package io.sluice.hadoop.stage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.merge.RunInput;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link StageArea} and {@link StagedRun} promise. */
abstract class StageAreaContract {
  abstract StageArea area();

  /** Bytes that staged runs hold now. */
  abstract long heldBytes() throws IOException;

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

  private static byte[] readAll(RunInput input) throws IOException {
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
    assertEquals(length, run.lengthBytes());
    assertEquals(length, area().memoryBytes() + area().diskBytes());
    try (RunInput input = run.open()) {
      assertEquals(length, input.remainingBytes());
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
}
