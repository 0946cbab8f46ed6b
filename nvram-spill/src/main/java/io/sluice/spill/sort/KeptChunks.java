package io.sluice.spill.sort;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.sort.SortChunks.ChunkMemory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/**
 * Memory that the sort buffers of a process use one after the other, without asking the system: a
 * new page costs a fault, and Java zeroes it (Flame-MR-It 3.1.1, static memory allocation).
 *
 * <p>Thread contract: safe from any thread. Ownership: it keeps free chunks, never more than were
 * out at one time, until its owner closes it or an allocation of {@link OffHeap} would fail. Chunks
 * that are out when it is closed are freed when they come back.
 */
public final class KeptChunks implements ChunkMemory, AutoCloseable {
  private final ArrayDeque<ByteBuffer> kept = new ArrayDeque<>(); // all of one length
  private final Runnable giveBack = this::giveBack;
  private boolean closed;

  /** Empty. */
  public KeptChunks() {
    OffHeap.addReclaimer(giveBack);
  }

  @Override
  public ByteBuffer allocate(int lengthBytes) {
    synchronized (this) {
      if (!kept.isEmpty() && kept.peek().capacity() == lengthBytes) {
        return kept.pop();
      }
    }
    return OffHeap.tryAllocate(lengthBytes);
  }

  @Override
  public void free(ByteBuffer chunk) {
    synchronized (this) {
      if (!closed && (kept.isEmpty() || kept.peek().capacity() == chunk.capacity())) {
        kept.push(chunk.clear().order(ByteOrder.BIG_ENDIAN));
        return;
      }
    }
    OffHeap.free(chunk);
  }

  /** Frees the kept chunks, and keeps none from now on. */
  @Override
  public void close() {
    synchronized (this) {
      closed = true;
    }
    giveBack();
    OffHeap.removeReclaimer(giveBack);
  }

  private synchronized void giveBack() {
    while (!kept.isEmpty()) {
      OffHeap.free(kept.pop());
    }
  }
}
