package io.sluice.spill.merge;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

class VerifiedRunInputTest extends RunInputContract {
  @Override
  RunInput open(byte[] bytes) {
    return open(bytes, bytes.length, crc32c(bytes));
  }

  /** Delivers as much as is asked for, but expects this length and this checksum. */
  static RunInput open(byte[] bytes, long lengthBytes, int crc) {
    return new VerifiedRunInput("map 7, partition 3", new WholeRunInput(bytes), lengthBytes, crc);
  }

  static int crc32c(byte[] bytes) {
    CRC32C crc = new CRC32C();
    crc.update(bytes);
    return (int) crc.getValue();
  }

  @Test
  void failsBeforeItDeliversTheLastBytesOfDamagedOnes() throws Exception {
    RunInput input = open(new byte[100], 100, 0x1234);
    byte[] dst = new byte[200];
    assertEquals(99, input.read(dst, 0, 99));
    ChecksumException e = assertThrows(ChecksumException.class, () -> input.read(dst, 0, 99));
    assertTrue(
        e.getMessage().startsWith("run map 7, partition 3: CRC32C of its 100 bytes is "),
        e.getMessage());
    assertTrue(e.getMessage().contains("expected 00001234"), e.getMessage());
    assertThrows(ChecksumException.class, () -> input.read(dst, 0, 99));
  }

  @Test
  void checksAnEmptyRunToo() throws Exception {
    assertEquals(-1, open(new byte[0], 0, 0).read(new byte[1], 0, 1));
    assertThrows(ChecksumException.class, () -> open(new byte[0], 0, 5).read(new byte[1], 0, 1));
  }

  @Test
  void failsOnARunShorterOrLongerThanExpected() throws Exception {
    byte[] bytes = new byte[100];
    byte[] dst = new byte[200];
    RunInput shorter = open(bytes, 101, crc32c(bytes));
    assertEquals(100, shorter.read(dst, 0, 200));
    IOException e = assertThrows(IOException.class, () -> shorter.read(dst, 0, 1));
    assertTrue(e.getMessage().contains("ends after 100 bytes, expected its end after 101"));
    RunInput longer = open(bytes, 99, crc32c(new byte[99]));
    e = assertThrows(IOException.class, () -> longer.read(dst, 0, 200));
    assertTrue(e.getMessage().contains("goes on behind 99 bytes"), e.getMessage());
  }
}
