package io.sluice.spark.read;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.util.internal.OutOfDirectMemoryError;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.network.util.NettyUtils;

/**
 * Takes all of the direct memory that Netty may have in this JVM, without touching it, until it is
 * closed. A thread may still get some: of what threads that have ended had kept for themselves,
 * once the collector has found them.
 *
 * <p>Thread contract: one thread. Ownership: who fills it closes it.
 */
final class FullDirectMemory implements AutoCloseable {
  private static final PooledByteBufAllocator MEMORY =
      NettyUtils.getSharedPooledByteBufAllocator(true, false);

  private final List<ByteBuf> taken = new ArrayList<>();

  private FullDirectMemory() {}

  static FullDirectMemory fill() throws InterruptedException {
    FullDirectMemory full = new FullDirectMemory();
    full.takeAll();
    return full;
  }

  /** Takes also the memory that was freed since. */
  void takeAll() throws InterruptedException {
    // Every arena has chunks of its own, and a new thread gets the one with the fewest threads.
    for (int i = 0; i < 2 * MEMORY.metric().numDirectArenas(); i++) {
      Thread taker = new Thread(this::take, "taker-" + i);
      taker.start();
      taker.join();
    }
  }

  private void take() {
    for (int lengthBytes = 1 << 20; lengthBytes > 0; ) {
      try {
        taken.add(MEMORY.directBuffer(lengthBytes, lengthBytes));
      } catch (OutOfDirectMemoryError e) {
        lengthBytes /= 2;
      }
    }
  }

  @Override
  public void close() {
    taken.forEach(ByteBuf::release);
  }
}
