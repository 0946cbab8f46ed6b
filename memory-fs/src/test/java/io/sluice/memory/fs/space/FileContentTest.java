package io.sluice.memory.fs.space;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.store.StoreFullException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FileContentTest {
  private static final int MIB = 1 << 20;

  @TempDir private Path directory;
  private final Random random = TestSeed.random();

  @Test
  void whatHasNoRoomInMemoryGoesToDiskAndIsReadFromThere() throws IOException {
    try (SmallStore store = new SmallStore(directory, 2 * MIB, 0)) {
      byte[] bytes = SmallStore.bytes(random, 7 * MIB + 12_345);
      FileContent content = store.write(random, bytes);
      assertTrue(store.stats().disk().leasedBytes() >= 5 * MIB, store.stats().toString());
      assertArrayEquals(bytes, SmallStore.read(content));
      for (int i = 0; i < 100; i++) {
        int from = random.nextInt(bytes.length - 100_000);
        ByteBuffer part = ByteBuffer.allocate(100_000);
        content.read(from, part);
        assertArrayEquals(Arrays.copyOfRange(bytes, from, from + 100_000), part.array());
      }
      content.letGo();
      assertEquals(0, store.usedBytes());
    }
  }

  @Test
  void aFullStoreIsAnErrorThatNamesItAndLosesNothing() throws IOException {
    try (SmallStore store = new SmallStore(directory, 2 * MIB, MIB)) {
      byte[] first = SmallStore.bytes(random, MIB);
      FileContent kept = store.write(random, first);
      FileContent content = new FileContent(store.space());
      byte[] part = SmallStore.bytes(random, MIB / 2);
      List<byte[]> written = new ArrayList<>();
      try (ContentWriter writer = new ContentWriter(content)) {
        IOException full =
            assertThrows(
                StoreFullException.class,
                () -> {
                  while (true) {
                    writer.write(part, 0, part.length);
                    written.add(part);
                  }
                });
        assertTrue(full.getMessage().contains("the spill store is full"), full.getMessage());
        assertEquals((long) written.size() * part.length, writer.positionBytes());
        kept.letGo();
        writer.write(part, 0, part.length); // there is room again
      }
      assertEquals((written.size() + 1L) * part.length, content.lengthBytes());
      byte[] all = SmallStore.read(content);
      for (int i = 0; i <= written.size(); i++) {
        assertArrayEquals(
            part, Arrays.copyOfRange(all, i * part.length, (i + 1) * part.length), "part " + i);
      }
    }
  }

  @Test
  void aFileKeepsNoMoreBlocksThanItNeeds() throws IOException {
    try (SmallStore store = new SmallStore(directory, 4 * MIB, 0)) {
      FileContent content = store.write(random, new byte[10]);
      assertEquals(SmallStore.BLOCK_BYTES, store.usedBytes());
      SmallStore.append(content, random, new byte[SmallStore.BLOCK_BYTES]);
      assertEquals(2 * SmallStore.BLOCK_BYTES, store.usedBytes());
      content.truncate(5).close();
      assertEquals(SmallStore.BLOCK_BYTES, store.usedBytes());
      content.truncate(0).close();
      assertEquals(0, store.usedBytes());
    }
  }

  @Test
  void whatIsAppendedInManyPartsIsReadAsOne() throws IOException {
    try (SmallStore store = new SmallStore(directory, 2 * MIB, 0)) {
      byte[] bytes = SmallStore.bytes(random, 4 * MIB);
      FileContent content = new FileContent(store.space());
      for (int from = 0; from < bytes.length; ) {
        int to = Math.min(bytes.length, from + random.nextInt(500_000));
        SmallStore.append(content, random, Arrays.copyOfRange(bytes, from, to));
        from = to;
      }
      assertArrayEquals(bytes, SmallStore.read(content));
    }
  }

  @Test
  void whatIsFlushedIsReadAlsoFromDiskAndWritingGoesOn() throws IOException {
    try (SmallStore store = new SmallStore(directory, 0, 0)) {
      byte[] bytes = SmallStore.bytes(random, 3 * MIB);
      FileContent content = new FileContent(store.space());
      try (ContentWriter writer = new ContentWriter(content)) {
        for (int from = 0; from < bytes.length; ) {
          int n = Math.min(bytes.length - from, 1 + random.nextInt(300_000));
          writer.write(bytes, from, n);
          from += n;
          writer.publish();
          assertArrayEquals(Arrays.copyOf(bytes, from), SmallStore.read(content));
        }
      }
      assertArrayEquals(bytes, SmallStore.read(content));
    }
  }

  @Test
  void theLastOneThatHasItGivesTheBytesBack() throws IOException {
    try (SmallStore store = new SmallStore(directory, 2 * MIB, 0)) {
      byte[] bytes = SmallStore.bytes(random, 100);
      FileContent content = store.write(random, bytes);
      content.hold();
      content.letGo();
      assertArrayEquals(bytes, SmallStore.read(content));
      content.letGo();
      assertEquals(0, store.usedBytes());
      assertThrows(IllegalStateException.class, content::hold);
    }
  }

  @Test
  void joinedFilesAreKeptForWhoeverStillReadsOneOfThem() throws IOException {
    try (SmallStore store = new SmallStore(directory, 4 * MIB, 0)) {
      byte[] first = SmallStore.bytes(random, 100_000);
      byte[] second = SmallStore.bytes(random, 70_000);
      FileContent target = store.write(random, first);
      FileContent source = store.write(random, second);
      source.hold(); // a reader
      target.adopt(List.of(source));
      source.letGo(); // its name
      SmallStore.append(target, random, first);
      byte[] joined = Arrays.copyOf(first, 270_000);
      System.arraycopy(second, 0, joined, 100_000, 70_000);
      System.arraycopy(first, 0, joined, 170_000, 100_000);
      assertArrayEquals(joined, SmallStore.read(target));
      target.letGo();
      FileContent other = store.write(random, new byte[3 * MIB]);
      assertArrayEquals(second, SmallStore.read(source));
      source.letGo();
      other.letGo();
      assertEquals(0, store.usedBytes());
    }
  }

  @Test
  void whatIsCutFromAnOpenFileIsNobodyElsesBeforeItIsClosed() throws IOException {
    try (SmallStore store = new SmallStore(directory, 4 * MIB, 0)) {
      byte[] bytes = SmallStore.bytes(random, MIB);
      FileContent content = store.write(random, bytes);
      content.hold(); // a reader, which has found where the bytes lie
      FileContent.Stretch seen = content.stretch(MIB - 1);
      long usedBytes = store.usedBytes();
      content.truncate(10).close();
      FileContent other = store.write(random, new byte[2 * MIB]);
      assertEquals(bytes[MIB - 1], seen.memory().get((int) (MIB - 1 - seen.startBytes())));
      SmallStore.append(content, random, bytes);
      byte[] both = Arrays.copyOf(bytes, 10 + MIB);
      System.arraycopy(bytes, 0, both, 10, MIB);
      assertArrayEquals(both, SmallStore.read(content));
      assertTrue(store.usedBytes() >= usedBytes);
      content.letGo();
      content.letGo();
      other.letGo();
      assertEquals(0, store.usedBytes());
    }
  }
}
