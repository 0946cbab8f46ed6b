package io.sluice.spill.sort;

import io.sluice.spill.format.RecordFormat;
import io.sluice.spill.sort.PrefixSort.FlagSort;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * The collecting side of a map task: takes serialized records until the chunk pool is exhausted,
 * then sorts them by partition and key without moving one of them.
 *
 * <p>Records are stored encoded as a run has them, so that writing a sorted run is one copy per
 * record. Records and their index (16 bytes each) come out of the same pool, whose own memory is
 * the task's {@code mapreduce.task.io.sort.mb}. Beyond it a buffer has 12 bytes of heap per
 * partition, and while it sorts 8 more and 400 KiB.
 *
 * <p>Life: {@link #append} until it answers false, {@link #sort}, read the {@link SortedRecords},
 * {@link #reset}, and again. Thread contract: single thread at a time. Ownership: its owner closes
 * it, and closes it before the pool. Failure: {@link #append} answers false if a record does not
 * fit, and then nothing has changed. Exceptions mean misuse, or come from the lender of memory or
 * from the job's comparator. After an exception of {@link #sort} the records have lost their order,
 * and only {@link #reset} is left.
 */
public final class RecordBuffer implements AutoCloseable {
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
    this.index = new RecordIndex(pool, partitionCount);
    this.counts = new int[partitionCount];
    this.encodedBytes = new long[partitionCount];
  }

  /**
   * Adds a record whose key and value lie one after the other in {@code record}.
   *
   * @return false if it does not fit: sort, write and {@link #reset}, then try again; it never fits
   *     unless {@link #fitsEmpty}
   * @throws IndexOutOfBoundsException if there is no such partition, or the array is too short
   */
  public boolean append(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    if (sortBegun) {
      throw new IllegalStateException("record appended to a sorted buffer: reset it first");
    }
    Objects.checkIndex(partition, counts.length);
    Objects.checkFromIndexSize(offset, keyLength, record.length);
    Objects.checkFromIndexSize(offset + keyLength, valueLength, record.length);
    long encodedLength = RecordFormat.encodedLength(keyLength, valueLength);
    if (!arena.reserve(encodedLength) || !index.reserve()) {
      arena.giveBackUnused(); // else the index of smaller records would find no chunk
      return false;
    }
    long prefix = hasPrefix ? order.prefix(record, offset, keyLength) : 0;
    long address = arena.append(record, offset, keyLength, valueLength);
    index.append(prefix, address, encodedLength, partition);
    counts[partition]++;
    encodedBytes[partition] += encodedLength;
    return true;
  }

  /**
   * Whether a record of these lengths fits when the buffer is empty and has the pool for itself.
   */
  public boolean fitsEmpty(int keyLength, int valueLength) {
    long encodedLength = RecordFormat.encodedLength(keyLength, valueLength);
    long arenaBytes = (pool.chunkLimit() - 1L) * pool.chunkBytes();
    return encodedLength <= Math.min(arenaBytes, RecordArena.MAX_BYTES)
        && encodedLength <= Integer.MAX_VALUE;
  }

  public int recordCount() {
    return index.size();
  }

  /** Bytes of all records as a run has them, without end markers. */
  public long dataBytes() {
    return arena.endBytes();
  }

  /** Sorts the records; the view is valid until {@link #reset}. */
  public SortedRecords sort() {
    return sort(() -> {});
  }

  /** The same for a caller that must report progress: a job's own comparator may take long. */
  public SortedRecords sort(Runnable progress) {
    if (sorted == null) {
      if (sortBegun) {
        throw new IllegalStateException("sort failed before and left no order: reset the buffer");
      }
      sortBegun = true;
      PrefixSort prefixSort = new PrefixSort(arena, index, order, progress);
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
      FlagSort.permute(index, RecordIndex.PLACE, index.partitionShift(), -1, next, ends);
    }
    return ends;
  }

  /** Empties the buffer and gives its chunks back to the pool. */
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
