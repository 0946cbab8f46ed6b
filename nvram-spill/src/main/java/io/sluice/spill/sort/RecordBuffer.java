package io.sluice.spill.sort;

import io.sluice.spill.record.RecordFormat;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * Takes serialized records until the chunk pool is exhausted, then sorts them by partition and key
 * without moving one of them.
 *
 * <p>Records are stored encoded as a run has them, so that writing a sorted run is one copy per
 * record. Records and their index (16 bytes each) come out of the same pool, whose own memory is
 * the task's {@code mapreduce.task.io.sort.mb}. Beyond it a buffer has 12 bytes of heap per
 * partition, and while it sorts 8 more and 400 KiB.
 */
public final class RecordBuffer implements SortBuffer {
  private final SortChunks pool;
  private final KeyOrder order;
  private final boolean hasPrefix;
  private final RecordArena arena;
  private final RecordIndex index;
  private final int[] counts;
  private final long[] encodedBytes;
  private boolean sortBegun;
  private SortedRecords sorted;

  public RecordBuffer(SortChunks pool, int partitionCount, KeyOrder order) {
    if (partitionCount < 1) {
      throw new IllegalArgumentException(
          "partition count is " + partitionCount + ", expected at least 1");
    }
    this.pool = pool;
    this.order = order;
    this.hasPrefix = order.hasPrefix();
    this.arena = new RecordArena(pool);
    this.index = new RecordIndex(pool);
    this.counts = new int[partitionCount];
    this.encodedBytes = new long[partitionCount];
  }

  @Override
  public boolean append(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    check(record, offset, keyLength, valueLength, partition);
    return place(record, offset, keyLength, valueLength, partition) >= 0;
  }

  void check(byte[] record, int offset, int keyLength, int valueLength, int partition) {
    if (sortBegun) {
      throw new IllegalStateException("record appended to a sorted buffer: reset it first");
    }
    Objects.checkIndex(partition, counts.length);
    Objects.checkFromIndexSize(offset, keyLength, record.length);
    Objects.checkFromIndexSize(offset + keyLength, valueLength, record.length);
  }

  /** Appends a record and returns its address in the arena, or -1 if it does not fit. */
  long place(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    long encodedLength = RecordFormat.encodedLength(keyLength, valueLength);
    if (!arena.reserve(encodedLength) || !index.reserve()) {
      arena.giveBackUnused(); // or the index of smaller records would find none
      return -1;
    }
    long prefix = hasPrefix ? order.prefix(record, offset, keyLength) : 0;
    long address = arena.append(record, offset, keyLength, valueLength);
    index.append(prefix, address, partition);
    counts[partition]++;
    encodedBytes[partition] += encodedLength;
    return address;
  }

  /** All records before they are sorted, whatever their partition. */
  RecordCursor asCollected() {
    SortedRecords all =
        new SortedRecords(arena, index, new int[] {index.size()}, new long[] {arena.endBytes()});
    return all.cursor(0);
  }

  RecordArena arena() {
    return arena;
  }

  @Override
  public boolean fitsEmpty(int keyLength, int valueLength) {
    long encodedLength = RecordFormat.encodedLength(keyLength, valueLength);
    long arenaBytes = (pool.chunkLimit() - 1L) * pool.chunkBytes();
    return encodedLength <= Math.min(arenaBytes, RecordArena.MAX_BYTES)
        && encodedLength <= Integer.MAX_VALUE;
  }

  @Override
  public long recordCount() {
    return index.size();
  }

  @Override
  public long dataBytes() {
    return arena.endBytes();
  }

  @Override
  public SortedRecords sort() {
    if (sorted == null) {
      if (sortBegun) {
        throw new IllegalStateException("sort failed before and left no order: reset the buffer");
      }
      sortBegun = true;
      PrefixSort prefixSort = new PrefixSort(arena, index, order);
      prefixSort.skipSharedPrefixes();
      int[] ends = groupByPartition();
      int start = 0;
      for (int end : ends) {
        prefixSort.sort(start, end);
        start = end;
      }
      sorted = new SortedRecords(arena, index, ends, encodedBytes);
    }
    return sorted;
  }

  private int[] groupByPartition() {
    int[] next = new int[counts.length];
    int[] ends = new int[counts.length];
    int start = 0;
    for (int i = 0; i < counts.length; i++) {
      next[i] = start;
      start += counts[i];
      ends[i] = start;
    }
    if (counts.length > 1) {
      FlagSort.permute(index, RecordIndex.PLACE, 32, -1, next, ends);
    }
    return ends;
  }

  @Override
  public void reset() {
    sortBegun = false;
    sorted = null;
    arena.reset();
    index.reset();
    Arrays.fill(counts, 0);
    Arrays.fill(encodedBytes, 0);
  }

  @Override
  public void close() {
    reset();
  }
}
