package io.sluice.spark.read;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import org.apache.spark.network.buffer.NettyManagedBuffer;
import org.apache.spark.network.util.NettyUtils;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BlockMemoryTest {
  @ParameterizedTest
  @ValueSource(ints = {1, 65_537, 1 << 20, (1 << 20) + 1, 5_000_000})
  void givesBackWhatWasWrittenInChunks(int lengthBytes) throws IOException {
    byte[] expected = new byte[lengthBytes];
    new Random(lengthBytes).nextBytes(expected);
    ByteBuf bytes = BlockMemory.allocate(lengthBytes);
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
  void comesOutOfSparksOwnPool(int lengthBytes) {
    long before =
        NettyUtils.getSharedPooledByteBufAllocator(true, false).metric().usedDirectMemory();
    ByteBuf bytes = BlockMemory.allocate(lengthBytes);
    try {
      assertTrue(
          NettyUtils.getSharedPooledByteBufAllocator(true, false).metric().usedDirectMemory()
              >= Math.max(before, lengthBytes));
    } finally {
      bytes.release();
    }
  }
}
