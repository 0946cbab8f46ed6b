package io.sluice.spill.sort;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.sort.SortChunks.ChunkSource;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What every {@link ChunkSource} that lends anything does. */
public interface ChunkSourceContract {
  /** Length of a chunk in these tests. */
  int CHUNK_BYTES = 64 << 10;

  /** A source that nobody else uses, and that has some chunks; whoever makes it closes it. */
  ChunkSource source() throws IOException;

  private static List<ByteBuffer> allOf(ChunkSource source) throws IOException {
    List<ByteBuffer> chunks = new ArrayList<>();
    for (ByteBuffer next = source.allocate(CHUNK_BYTES);
        next != null;
        next = source.allocate(CHUNK_BYTES)) {
      chunks.add(next);
    }
    return chunks;
  }

  /** It lends what there is, says when there is no more, and lends again what came back. */
  @Test
  default void lendsWhatItHas() throws IOException {
    ChunkSource source = source();
    List<ByteBuffer> chunks = allOf(source);
    assertTrue(chunks.size() > 2, chunks.size() + " chunks");
    source.free(chunks.subList(1, 3));
    ByteBuffer again = source.allocate(CHUNK_BYTES);
    source.free(List.of(chunks.get(0), again));
    source.free(chunks.subList(3, chunks.size()));
    assertEquals(chunks.size(), allOf(source).size());
  }

  /** What is written to a chunk stays there, whatever is written to others. */
  @Test
  default void aChunkIsTheBorrowersAlone() throws IOException {
    ChunkSource source = source();
    List<ByteBuffer> chunks = allOf(source);
    for (int i = 0; i < chunks.size(); i++) {
      for (int at = 0; at < CHUNK_BYTES; at += Integer.BYTES) {
        chunks.get(i).putInt(at, 31 * i + at);
      }
    }
    for (int i = 0; i < chunks.size(); i++) {
      for (int at = 0; at < CHUNK_BYTES; at += Integer.BYTES) {
        assertEquals(31 * i + at, chunks.get(i).getInt(at));
      }
    }
    source.free(chunks);
  }

  /** As the sort buffer takes it for granted. */
  @Test
  default void aChunkIsAsLongAsAskedForAndBigEndian() throws IOException {
    ChunkSource source = source();
    ByteBuffer chunk = source.allocate(CHUNK_BYTES);
    assertEquals(CHUNK_BYTES, chunk.capacity());
    assertEquals(0, chunk.position());
    assertEquals(CHUNK_BYTES, chunk.limit());
    assertEquals(ByteOrder.BIG_ENDIAN, chunk.order());
    assertFalse(source.isWantedBack());
    source.free(List.of(chunk));
  }

  /** Neither a stranger's chunk comes back, nor one a second time. */
  @Test
  default void onlyWhatIsLentComesBack() throws IOException {
    ChunkSource source = source();
    ByteBuffer chunk = source.allocate(CHUNK_BYTES);
    ByteBuffer strange = ByteBuffer.allocateDirect(CHUNK_BYTES);
    assertThrows(IllegalArgumentException.class, () -> source.free(List.of(strange)));
    source.free(List.of(chunk));
    assertThrows(IllegalArgumentException.class, () -> source.free(List.of(chunk)));
    assertNull(ChunkSource.NONE.allocate(CHUNK_BYTES));
  }
}
