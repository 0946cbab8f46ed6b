package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PartitionBufferTest {
  private static final int CHUNK_BYTES = 10_000;

  private final ByteArrayOutputStream read = new ByteArrayOutputStream();
  private final ByteArrayOutputStream written = new ByteArrayOutputStream();
  private final List<Integer> chunks = new ArrayList<>();
  private final Random random = new Random(9);
  private PartitionBuffer buffer;
  private long taken;

  private void accept(ByteBuffer chunk) {
    chunks.add(chunk.remaining());
    read.write(chunk.array(), chunk.position(), chunk.remaining());
  }

  private void write(int times) throws IOException {
    for (int i = 0; i < times; i++) {
      byte[] bytes = new byte[random.nextInt(5000)];
      random.nextBytes(bytes);
      buffer.write(bytes, 0, bytes.length);
      buffer.write(i);
      written.write(bytes);
      written.write(i);
    }
  }

  @Test
  void handsChunksOnAndTakesNoMoreMemoryThanOne() throws IOException {
    buffer = new PartitionBuffer(bytes -> taken += bytes, CHUNK_BYTES, this::accept);
    write(500);
    assertTrue(chunks.stream().allMatch(length -> length == CHUNK_BYTES), chunks.toString());
    assertEquals(CHUNK_BYTES, taken);
    buffer.drain();
    assertArrayEquals(written.toByteArray(), read.toByteArray());
    write(1);
    assertEquals(CHUNK_BYTES + 4096, taken, "its memory was given up");
  }

  @Test
  void losesNothingWhenItIsDrainedWhileItAsksForMemory() throws IOException {
    buffer =
        new PartitionBuffer(
            bytes -> {
              taken += bytes;
              if (taken > 6_000) {
                buffer.drain();
                taken = bytes;
              }
            },
            CHUNK_BYTES,
            this::accept);
    write(500);
    buffer.drain();
    assertTrue(chunks.stream().anyMatch(length -> length < CHUNK_BYTES), chunks.toString());
    assertArrayEquals(written.toByteArray(), read.toByteArray());
  }

  @Test
  void manyPartitionsHaveShorterChunks() {
    assertEquals(256 << 10, PartitionChunkWriter.chunkBytes(1));
    assertEquals(128 << 10, PartitionChunkWriter.chunkBytes(32));
    assertEquals(64 << 10, PartitionChunkWriter.chunkBytes(200));
  }
}
