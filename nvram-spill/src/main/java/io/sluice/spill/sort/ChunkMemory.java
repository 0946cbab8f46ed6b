package io.sluice.spill.sort;

import io.sluice.rdma.memory.OffHeap;
import java.nio.ByteBuffer;

/**
 * Where the chunks of a {@link SortChunks} come from that are its own. What is allocated is cleared
 * and big-endian, its content undefined, and freed once.
 */
public interface ChunkMemory {
  /** The process's, and back to it at once. */
  ChunkMemory DIRECT =
      new ChunkMemory() {
        @Override
        public ByteBuffer allocate(int lengthBytes) {
          return OffHeap.tryAllocate(lengthBytes);
        }

        @Override
        public void free(ByteBuffer chunk) {
          OffHeap.free(chunk);
        }
      };

  /** Gives a chunk of that length; null if the process has too little memory now. */
  ByteBuffer allocate(int lengthBytes);

  /** Takes it back. */
  void free(ByteBuffer chunk);
}
