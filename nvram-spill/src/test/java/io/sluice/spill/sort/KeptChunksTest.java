package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

final class KeptChunksTest {
  private static final int CHUNK_BYTES = 4096;

  private final KeptChunks kept = new KeptChunks();
  private long before;

  @BeforeEach
  void count() {
    before = OffHeap.allocatedBytes();
  }

  @AfterEach
  void nothingIsLeft() {
    kept.close();
    assertEquals(before, OffHeap.allocatedBytes());
  }

  @Test
  void oneSortBufferHasWhatAnotherHad() throws Exception {
    ByteBuffer first;
    try (SortChunks chunks =
        new SortChunks(2 * CHUNK_BYTES, CHUNK_BYTES, kept, ChunkSource.NONE, 0)) {
      first = chunks.acquire();
      first.order(ByteOrder.LITTLE_ENDIAN).putInt(1);
      chunks.release(first);
    }
    assertEquals(before + CHUNK_BYTES, OffHeap.allocatedBytes());
    try (SortChunks chunks =
        new SortChunks(2 * CHUNK_BYTES, CHUNK_BYTES, kept, ChunkSource.NONE, 0)) {
      ByteBuffer again = chunks.acquire();
      assertSame(first, again);
      assertEquals(0, again.position());
      assertSame(ByteOrder.BIG_ENDIAN, again.order());
      ByteBuffer second = chunks.acquire();
      assertNotSame(first, second);
      chunks.release(again);
      chunks.release(second);
    }
    assertEquals(before + 2 * CHUNK_BYTES, OffHeap.allocatedBytes());
  }

  /** Run in a JVM that has room for nine chunks, of which it may have four. */
  public static final class Full {
    private Full() {}

    public static void main(String[] arguments) {
      KeptChunks kept = new KeptChunks();
      List<ByteBuffer> chunks = Stream.generate(() -> kept.allocate(1 << 20)).limit(4).toList();
      chunks.forEach(kept::free);
      OffHeap.allocate(8 << 20);
      if (kept.allocate(1 << 20) != null) {
        throw new AssertionError("nothing is left for others");
      }
    }
  }

  @Test
  void whatIsKeptIsThereForOthersWhoWouldFindNone() throws Exception {
    Process full =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:MaxDirectMemorySize=9m",
                "-cp",
                System.getProperty("java.class.path"),
                Full.class.getName())
            .inheritIO()
            .start();
    try {
      assertTrue(full.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, full.exitValue());
    } finally {
      full.destroyForcibly();
    }
  }

  @Test
  void anotherLengthIsNotKept() {
    kept.free(kept.allocate(CHUNK_BYTES));
    ByteBuffer longer = kept.allocate(2 * CHUNK_BYTES);
    assertEquals(2 * CHUNK_BYTES, longer.capacity());
    kept.free(longer);
    assertEquals(before + CHUNK_BYTES, OffHeap.allocatedBytes());
  }

  @Test
  void whatComesBackAfterTheEndIsFreed() {
    ByteBuffer late = kept.allocate(CHUNK_BYTES);
    kept.free(kept.allocate(CHUNK_BYTES));
    kept.close();
    assertEquals(before + CHUNK_BYTES, OffHeap.allocatedBytes());
    kept.free(late);
    assertEquals(before, OffHeap.allocatedBytes());
    kept.free(kept.allocate(CHUNK_BYTES));
    assertEquals(before, OffHeap.allocatedBytes());
  }
}
