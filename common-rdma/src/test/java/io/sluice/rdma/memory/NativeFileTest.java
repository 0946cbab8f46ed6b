package io.sluice.rdma.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** On an ordinary file, of which the kernel asks less than of huge pages and devices. */
class NativeFileTest {
  private static final int UNIT = 64 << 10;

  @TempDir Path dir;

  @Test
  void showsExactlyTheRangeAskedForAndCountsTheUnits() throws Exception {
    byte[] content = new byte[4 * UNIT];
    new Random(3).nextBytes(content);
    Path path = Files.write(dir.resolve("file"), content);
    long before = OffHeap.mappedBytes();
    int offset = UNIT - 10;
    Mapping mapping;
    try (NativeFile file = NativeFile.open(path, UNIT, true)) {
      mapping = file.map(offset, 20);
    }
    assertEquals(before + 2 * UNIT, OffHeap.mappedBytes());
    byte[] seen = new byte[20];
    mapping.buffer().get(0, seen);
    assertArrayEquals(Arrays.copyOfRange(content, offset, offset + 20), seen);
    mapping.buffer().putLong(2, 0x1122334455667788L);
    assertEquals(20, mapping.buffer().capacity());
    mapping.close();
    mapping.close();
    assertEquals(before, OffHeap.mappedBytes());
    long stored = ByteBuffer.wrap(Files.readAllBytes(path)).getLong(offset + 2);
    assertEquals(0x1122334455667788L, stored);
  }

  @Test
  void allocatesSpaceThatIsZero() throws Exception {
    Path path = Files.createFile(dir.resolve("file"));
    try (NativeFile file = NativeFile.open(path, UNIT, true)) {
      file.allocate(0, UNIT);
      file.allocate(UNIT, UNIT);
    }
    assertArrayEquals(new byte[2 * UNIT], Files.readAllBytes(path));
  }

  @Test
  void onlyOneHoldsTheLockUntilItIsClosed() throws Exception {
    Path path = Files.createFile(dir.resolve("file"));
    try (NativeFile other = NativeFile.open(path, UNIT, false)) {
      try (NativeFile one = NativeFile.open(path, UNIT, false)) {
        assertTrue(one.tryLock());
        NativeFile.open(path, UNIT, false).close();
        assertFalse(other.tryLock());
      }
      assertTrue(other.tryLock());
    }
  }

  /** As whoever was handed it does, and could not open it by its name. */
  @Test
  void aDescriptorReadsAndMapsWithoutTheName() throws Exception {
    byte[] content = new byte[3 * UNIT];
    new Random(4).nextBytes(content);
    Path path = Files.write(dir.resolve("file"), content);
    Descriptor descriptor = Descriptor.open(path, true);
    Files.delete(path);
    try (NativeFile file = NativeFile.of(descriptor, path, UNIT, true)) {
      assertEquals(content.length, file.lengthBytes());
      ByteBuffer read = ByteBuffer.allocate(content.length);
      assertEquals(content.length - 5, file.read(5, read), "to the end of the file");
      assertArrayEquals(
          Arrays.copyOfRange(content, 5, content.length),
          Arrays.copyOf(read.array(), content.length - 5));
      try (Mapping mapping = file.map(UNIT, UNIT)) {
        assertEquals(content[UNIT], mapping.buffer().get(0));
      }
    }
    assertTrue(descriptor.isClosed());
  }

  @Test
  void aDescriptorForReadingCannotBeWritten() throws Exception {
    Path path = Files.write(dir.resolve("file"), new byte[UNIT]);
    Descriptor descriptor = Descriptor.open(path, false);
    try (NativeFile file = NativeFile.of(descriptor, path, UNIT, true)) {
      assertThrows(IOException.class, () -> file.map(0, 1));
    }
  }

  @Test
  void failuresSayWhatAndWhy() throws Exception {
    Path path = dir.resolve("absent");
    String message =
        assertThrows(IOException.class, () -> NativeFile.open(path, UNIT, false)).getMessage();
    assertTrue(message.contains(path.toString()) && message.contains("No such file"), message);
    try (NativeFile file = NativeFile.open(dir, UNIT, false)) {
      assertTrue(
          assertThrows(IOException.class, () -> file.map(0, 1))
              .getMessage()
              .contains("cannot map"));
    }
  }
}
