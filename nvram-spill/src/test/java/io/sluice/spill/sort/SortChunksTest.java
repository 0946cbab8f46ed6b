package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SortChunksTest {
  private final long allocatedBefore = OffHeap.allocatedBytes();

  @AfterEach
  void nothingLeaks() {
    assertEquals(allocatedBefore, OffHeap.allocatedBytes());
  }

  @Test
  void handsOutItsCapacityAndNoMore() throws IOException {
    try (SortChunks pool = new SortChunks(4096 * 2 + 4095, 4096)) {
      assertEquals(allocatedBefore, OffHeap.allocatedBytes(), "allocates only when wanted");
      ByteBuffer one = pool.acquire();
      ByteBuffer two = pool.acquire();
      assertNotNull(two);
      assertNull(pool.acquire());
      assertEquals(8192, pool.acquiredBytes());
      pool.release(one.position(7).order(ByteOrder.LITTLE_ENDIAN));
      ByteBuffer again = pool.acquire();
      assertSame(one, again);
      assertEquals(0, again.position());
      assertEquals(ByteOrder.BIG_ENDIAN, again.order());
      pool.release(again);
      pool.release(two);
      assertEquals(0, pool.acquiredBytes());
    }
  }

  @Test
  void refusesAChunkTwiceAndAStrangersChunk() throws IOException {
    try (SortChunks pool = new SortChunks(8192, 4096)) {
      ByteBuffer chunk = pool.acquire();
      pool.release(chunk);
      assertThrows(IllegalArgumentException.class, () -> pool.release(chunk));
      assertThrows(
          IllegalArgumentException.class, () -> pool.release(ByteBuffer.allocateDirect(4096)));
    }
  }

  @Test
  void namesALeakWhenItCloses() throws IOException {
    SortChunks pool = new SortChunks(8192, 4096);
    ByteBuffer leaked = pool.acquire();
    IllegalStateException e = assertThrows(IllegalStateException.class, pool::close);
    assertTrue(e.getMessage().contains("1 chunks of 4096 bytes"), e.getMessage());
    assertThrows(IllegalStateException.class, pool::acquire);
    pool.release(leaked);
  }

  /** The process's memory until so many chunks are out; then it refuses. */
  private static final class Refusing implements ChunkMemory {
    private final int most;
    private int out;

    Refusing(int most) {
      this.most = most;
    }

    @Override
    public ByteBuffer allocate(int lengthBytes) {
      if (out == most) {
        return null;
      }
      out++;
      return DIRECT.allocate(lengthBytes);
    }

    @Override
    public void free(ByteBuffer chunk) {
      out--;
      DIRECT.free(chunk);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3})
  void hasTwoChunksOfTheHeapWhereTheProcessRefusesDirectMemory(int given) throws IOException {
    Refusing memory = new Refusing(given);
    try (SortChunks pool = new SortChunks(5 * 4096, 4096, memory, ChunkSource.NONE, 0)) {
      List<ByteBuffer> out = new ArrayList<>();
      for (ByteBuffer chunk = pool.acquire(); chunk != null; chunk = pool.acquire()) {
        out.add(chunk);
      }
      assertEquals(Math.max(2, given), out.size());
      assertEquals(given, out.stream().filter(ByteBuffer::isDirect).count());
      out.forEach(pool::release);
      for (int i = 0; i < out.size(); i++) { // they are reused
        assertNotNull(pool.acquire());
      }
      assertNull(pool.acquire());
      out.forEach(pool::release);
    }
    assertEquals(0, memory.out);
  }

  @Test
  void borrowsWhatTheProcessRefuses() throws IOException {
    Endless source = new Endless();
    try (SortChunks pool = new SortChunks(5 * 4096, 4096, new Refusing(2), source, 4096)) {
      List<ByteBuffer> out = List.of(pool.acquire(), pool.acquire(), pool.acquire());
      assertEquals(1, source.lent);
      assertNull(pool.acquire());
      out.forEach(pool::release);
      pool.giveBack();
    }
  }

  /** Lends heap memory without end. */
  private static final class Endless implements ChunkSource {
    private int lent;

    @Override
    public ByteBuffer allocate(int lengthBytes) {
      lent++;
      return ByteBuffer.allocate(lengthBytes);
    }

    @Override
    public void free(List<ByteBuffer> chunks) {
      lent -= chunks.size();
    }

    @Override
    public boolean isWantedBack() {
      return false;
    }
  }

  @Test
  void borrowsWhenItsOwnIsOutUpToItsBoundAndGivesBackWhatIsNotOut() throws IOException {
    Endless source = new Endless();
    try (SortChunks pool =
        new SortChunks(8192, 4096, ChunkMemory.DIRECT, source, 3 * 4096 + 4095)) {
      List<ByteBuffer> out = new ArrayList<>();
      for (ByteBuffer next = pool.acquire(); next != null; next = pool.acquire()) {
        assertEquals(Math.max(0, out.size() - 1), source.lent);
        out.add(next);
      }
      assertEquals(5, out.size());
      pool.release(out.get(4));
      pool.giveBack();
      assertEquals(2, source.lent);
      pool.release(pool.acquire());
      assertEquals(3, source.lent, "kept until it is given back");
      out.subList(0, 4).forEach(pool::release);
      pool.giveBack();
      assertEquals(0, source.lent);
      assertEquals(0, pool.acquiredBytes());
    }
  }

  @Test
  void refusesSizesItCannotServe() throws IOException {
    assertThrows(IllegalArgumentException.class, () -> new SortChunks(8192, 1000));
    assertThrows(IllegalArgumentException.class, () -> new SortChunks(8192, 32));
    assertThrows(IllegalArgumentException.class, () -> new SortChunks(8191, 4096));
  }
}
