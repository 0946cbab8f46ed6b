package io.sluice.bench.micro;

import io.sluice.spill.sort.ChunkMemory;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;

/**
 * Chunks on the heap, as Flame-MR has them: made anew for each task, or kept for the next one.
 *
 * <p>Not thread-safe.
 */
final class HeapChunks implements ChunkMemory {
  private final boolean keeps;
  private final ArrayDeque<ByteBuffer> kept = new ArrayDeque<>(); // all of one length

  HeapChunks(boolean keeps) {
    this.keeps = keeps;
  }

  @Override
  public ByteBuffer allocate(int lengthBytes) {
    ByteBuffer chunk = kept.poll();
    return chunk == null ? ByteBuffer.allocate(lengthBytes) : chunk;
  }

  @Override
  public void free(ByteBuffer chunk) {
    if (keeps) {
      kept.push(chunk);
    }
  }
}
