package io.sluice.spill.sort;

import io.sluice.rdma.memory.OffHeap;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;

/**
 * Memory that the sort buffers of one process after the other have, without asking the system for
 * it: a new page costs a fault, and Java zeroes what it allocates (Flame-MR-It 3.1.1, static memory
 * allocation).
 *
 * <p>Thread contract: safe from any thread. Ownership: what is free it keeps, never more than was
 * out at one time, until its owner closes it or an allocation of {@link OffHeap} would fail or be
 * refused; what is out when it is closed is freed when it comes back.
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

  /** Frees what it keeps, and keeps nothing more. */
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
