package io.sluice.spill.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;

/**
 * Finds a key's group by hash: open addressing, linear probing, half full at most where there is
 * memory.
 *
 * <pre>
 *   slot   63          32 31                    0
 *          +-------------+----------------------+
 *          | hash | 1    | address of the group |     native order; 0: free
 *          +-------------+----------------------+
 * </pre>
 *
 * <p>Thread contract: single thread. Ownership: acquires chunks as it grows, gives all of them back
 * in {@link #reset}.
 */
final class GroupTable {
  private final SortChunks pool;
  private final int shift;
  private final int chunkMask;
  private ByteBuffer[] chunks = {};
  private LongBuffer[] slots = {};
  private int mask = -1;
  private int size;

  GroupTable(SortChunks pool) {
    this.pool = pool;
    this.shift = Integer.numberOfTrailingZeros(pool.chunkBytes() / Long.BYTES);
    this.chunkMask = (1 << shift) - 1;
  }

  /** Makes room for one more group; false if the pool is exhausted. */
  boolean reserve() throws IOException {
    int capacity = mask + 1;
    if (size < capacity >>> 1) {
      return true;
    }
    return grow() || size < capacity - (capacity >>> 3);
  }

  private boolean grow() throws IOException {
    if (mask > 1 << 29) {
      return false;
    }
    ByteBuffer[] grown = new ByteBuffer[Math.max(1, 2 * chunks.length)];
    for (int i = 0; i < grown.length; i++) {
      grown[i] = pool.acquire();
      if (grown[i] == null) {
        release(grown);
        return false;
      }
    }
    ByteBuffer[] before = chunks;
    LongBuffer[] slotsBefore = slots;
    chunks = grown;
    slots = new LongBuffer[grown.length];
    for (int i = 0; i < grown.length; i++) {
      slots[i] = grown[i].order(ByteOrder.nativeOrder()).asLongBuffer();
      for (int at = 0; at <= chunkMask; at++) {
        slots[i].put(at, 0);
      }
    }
    mask = (grown.length << shift) - 1;
    for (LongBuffer chunk : slotsBefore) {
      for (int at = 0; at <= chunkMask; at++) {
        long entry = chunk.get(at);
        if (entry != 0) {
          set(free(entry), entry);
        }
      }
    }
    release(before);
    return true;
  }

  private int free(long entry) {
    int slot = first((int) (entry >>> 32));
    while (entry(slot) != 0) {
      slot = after(slot);
    }
    return slot;
  }

  /** The slot where a search for a hash begins. */
  int first(int hash) {
    return (hash >>> 1) & mask; // the lowest bit is always set
  }

  /** The slot to look at if that one has another key. */
  int after(int slot) {
    return slot + 1 & mask;
  }

  /** What a slot has, or 0. */
  long entry(int slot) {
    return slots[slot >>> shift].get(slot & chunkMask);
  }

  /** Puts a group into a free slot for which room was reserved. */
  void put(int slot, int hash, long address) {
    set(slot, (long) (hash | 1) << 32 | address);
    size++;
  }

  private void set(int slot, long entry) {
    slots[slot >>> shift].put(slot & chunkMask, entry);
  }

  private void release(ByteBuffer[] released) {
    for (ByteBuffer chunk : released) {
      if (chunk != null) {
        pool.release(chunk);
      }
    }
  }

  void reset() {
    release(chunks);
    chunks = new ByteBuffer[0];
    slots = new LongBuffer[0];
    mask = -1;
    size = 0;
  }
}
