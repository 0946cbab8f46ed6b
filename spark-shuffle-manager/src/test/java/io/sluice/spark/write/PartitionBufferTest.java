package io.sluice.spark.write;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PartitionBufferTest {
  private static void copy(List<ByteBuffer> from, ByteArrayOutputStream to) {
    from.forEach(piece -> to.write(piece.array(), piece.position(), piece.remaining()));
  }

  @Test
  void givesBackWhatWasWrittenAlthoughItIsDrainedInTheMiddle() throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    ByteArrayOutputStream written = new ByteArrayOutputStream();
    PartitionBuffer[] buffer = new PartitionBuffer[1];
    long[] taken = new long[1];
    buffer[0] =
        new PartitionBuffer(
            bytes -> {
              if (taken[0] + bytes > 100_000) {
                copy(buffer[0].drain(), read);
                taken[0] = 0;
              }
              taken[0] += bytes;
            });
    Random random = new Random(9);
    for (int i = 0; i < 500; i++) {
      byte[] bytes = new byte[random.nextInt(5000)];
      random.nextBytes(bytes);
      buffer[0].write(bytes, 0, bytes.length);
      buffer[0].write(i);
      written.write(bytes);
      written.write(i);
    }
    assertTrue(read.size() > 0, "it was drained");
    assertEquals(written.size() - read.size(), buffer[0].lengthBytes());
    copy(buffer[0].drain(), read);
    assertArrayEquals(written.toByteArray(), read.toByteArray());
    assertEquals(0, buffer[0].lengthBytes());
  }
}
