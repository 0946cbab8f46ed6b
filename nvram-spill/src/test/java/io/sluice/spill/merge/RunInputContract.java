package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.merge.RunInput.ChecksumException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What {@link RunInput} promises, for every implementation. */
public abstract class RunInputContract {
  /** An input over exactly these bytes; one for each test. */
  protected abstract RunInput open(byte[] bytes) throws IOException;

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 100, 4096, 70_000})
  void deliversAllBytesThenTheEndForEver(int length) throws IOException {
    Random random = TestSeed.random();
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    try (RunInput input = open(bytes)) {
      byte[] dst = new byte[1000];
      while (true) {
        int offset = random.nextInt(10);
        int wanted = 1 + random.nextInt(dst.length - offset);
        byte[] untouched = dst.clone();
        int count = input.read(dst, offset, wanted);
        if (count == -1) {
          break;
        }
        assertTrue(count > 0 && count <= wanted, count + " bytes read");
        assertArrayEquals(Arrays.copyOf(untouched, offset), Arrays.copyOf(dst, offset));
        read.write(dst, offset, count);
      }
      assertEquals(-1, input.read(dst, 0, 1));
      assertEquals(0, input.remainingBytes());
    }
    assertArrayEquals(bytes, read.toByteArray());
  }

  @Test
  void estimatesWhatRemains() throws IOException {
    try (RunInput input = open(new byte[5000])) {
      long before = input.remainingBytes();
      assertTrue(before > 0);
      input.read(new byte[5000], 0, 1000);
      assertTrue(input.remainingBytes() < before);
    }
  }

  /** None of these has brought bytes from where they no longer lay. */
  @Test
  void whatBringsTheSameAgainIsReadAgainOnceAtMost() throws IOException {
    ChecksumException cause = new ChecksumException("test", 0, 1, 1, 2, 3);
    try (RunInput input = open(new byte[5000])) {
      input.read(new byte[100], 0, 100);
      if (input.rereadFrom(0, cause)) { // it may have been damaged on its way
        input.read(new byte[100], 0, 100);
        assertFalse(input.rereadFrom(0, cause));
      }
    }
  }

  @Test
  void closesEarlyAndTwice() throws IOException {
    RunInput input = open(new byte[10]);
    input.read(new byte[1], 0, 1);
    input.close();
    input.close();
  }
}
