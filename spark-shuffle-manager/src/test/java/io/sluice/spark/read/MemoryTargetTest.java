package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.AbstractByteBufAllocator;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.spark.read.BlockTarget.MemoryTarget;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.apache.spark.network.buffer.NettyManagedBuffer;
import org.apache.spark.network.util.NettyUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class MemoryTargetTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 65_537, 1 << 20, (1 << 20) + 1, 5_000_000})
  void givesBackWhatWasWrittenInChunks(int lengthBytes) throws IOException {
    byte[] expected = new byte[lengthBytes];
    new Random(lengthBytes).nextBytes(expected);
    ByteBuf bytes = MemoryTarget.allocate(lengthBytes);
    assertTrue(bytes.isDirect());
    for (int done = 0; done < lengthBytes; ) {
      int n = Math.min(64 << 10, lengthBytes - done);
      bytes.writeBytes(expected, done, n);
      done += n;
    }
    NettyManagedBuffer block = new NettyManagedBuffer(bytes);
    assertEquals(lengthBytes, block.size());
    try (InputStream in = block.createInputStream()) {
      assertArrayEquals(expected, in.readAllBytes());
    }
    block.release();
    assertEquals(0, bytes.refCnt());
  }

  @ParameterizedTest
  @ValueSource(ints = {1000, 3_000_000})
  void comesOutOfSparksOwnPool(int lengthBytes) throws IOException {
    long before =
        NettyUtils.getSharedPooledByteBufAllocator(true, false).metric().usedDirectMemory();
    ByteBuf bytes = MemoryTarget.allocate(lengthBytes);
    try {
      assertTrue(
          NettyUtils.getSharedPooledByteBufAllocator(true, false).metric().usedDirectMemory()
              >= Math.max(before, lengthBytes));
    } finally {
      bytes.release();
    }
  }

  /** As with a JDK that enforces its bound on Netty, too. */
  @ParameterizedTest
  @ValueSource(ints = {1000, 5_000_000})
  void whereTheJdkHasNoMoreTheBlockCannotBeFetchedAndNothingIsKept(int lengthBytes) {
    List<ByteBuf> given = new ArrayList<>();
    ByteBufAllocator memory =
        new AbstractByteBufAllocator(true) {
          @Override
          public boolean isDirectBufferPooled() {
            return false;
          }

          @Override
          protected ByteBuf newHeapBuffer(int initialCapacity, int maxCapacity) {
            throw new UnsupportedOperationException("only direct memory is asked for");
          }

          @Override
          protected ByteBuf newDirectBuffer(int initialCapacity, int maxCapacity) {
            if (given.size() == lengthBytes >> 20) {
              throw new OutOfMemoryError("Cannot reserve direct buffer memory");
            }
            given.add(Unpooled.directBuffer(initialCapacity, maxCapacity));
            return given.get(given.size() - 1);
          }
        };
    IOException e =
        assertThrows(IOException.class, () -> MemoryTarget.allocate(memory, lengthBytes));
    assertTrue(e.getMessage().contains(lengthBytes + " bytes"), e.getMessage());
    given.forEach(buffer -> assertEquals(0, buffer.refCnt()));
  }
}
