package io.sluice.spill.sort;

import io.sluice.spill.record.RecordFormat;
import java.io.IOException;
import java.util.Arrays;
import java.util.Objects;

/**
 * The collecting side of a map task: takes serialized records until the chunk pool is exhausted,
 * then sorts them by partition and key without moving one of them.
 *
 * <p>Records are stored encoded as a run has them, so that writing a sorted run is one copy per
 * record; small ones that come again and again are stored once, with how often ({@link
 * RecentRecords}). Records and their index (16 bytes each) come out of the same pool, whose own
 * memory is the task's {@code mapreduce.task.io.sort.mb}. Beyond it a buffer has 20 bytes of heap
 * per partition, 4 MiB if it has many small records, and while it sorts 8 per partition more and
 * 400 KiB.
 *
 * <p>Life: {@link #append} until it says no, {@link #sort}, read the {@link SortedRecords}, {@link
 * #reset}, and again. Thread contract: single thread at a time. Ownership: its owner closes it, and
 * closes it before the pool. Failure: {@link #append} answers false when a record does not fit and
 * then nothing has changed; exceptions are misuse, or come from who lends the pool memory, or from
 * the job's comparator, and when one leaves {@link #sort} the records have lost their order and
 * only {@link #reset} is left.
 */
public final class RecordBuffer implements AutoCloseable {
  private final SortChunks pool;
  private final KeyOrder order;
  private final boolean hasPrefix;
  private final RecordArena arena;
  private final RecordIndex index;
  private final RecentRecords recent = new RecentRecords();
  private final RecentRecords.Sink evicted = this::enterCopies;
  private final int[] entries;
  private final long[] records;
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
    this.entries = new int[partitionCount];
    this.records = new long[partitionCount];
    this.encodedBytes = new long[partitionCount];
  }

  /**
   * Adds a record whose key and value lie one after the other in {@code record}.
   *
   * @return false if it does not fit: sort, write and {@link #reset}, then try again; it never will
   *     if not {@link #fitsEmpty}
   * @throws IndexOutOfBoundsException if there is no such partition, or the array is too short
   */
  public boolean append(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    if (sortBegun) {
      throw new IllegalStateException("record appended to a sorted buffer: reset it first");
    }
    Objects.checkIndex(partition, entries.length);
    Objects.checkFromIndexSize(offset, keyLength, record.length);
    Objects.checkFromIndexSize(offset + keyLength, valueLength, record.length);
    long encodedLength = RecordFormat.encodedLength(keyLength, valueLength);
    if (recent.wants(keyLength, valueLength)) {
      if (!appendRecent(record, offset, keyLength, valueLength, partition)) {
        return false;
      }
    } else if (reserve(encodedLength)) {
      enter(record, offset, keyLength, valueLength, partition);
    } else {
      return false;
    }
    records[partition]++;
    encodedBytes[partition] += encodedLength;
    return true;
  }

  private boolean appendRecent(
      byte[] record, int offset, int keyLength, int valueLength, int partition) throws IOException {
    int hash = recent.hash(record, offset, keyLength, valueLength, partition);
    if (recent.count(hash, record, offset, keyLength, valueLength, partition)) {
      return true;
    }
    if (!reserve(RecordArena.repeatedLength(keyLength, valueLength))) {
      return false;
    }
    if (!recent.keep(hash, record, offset, keyLength, valueLength, partition, evicted)) {
      enter(record, offset, keyLength, valueLength, partition);
    }
    return true;
  }

  /** Makes room for one more record, besides those that are to be entered in any case. */
  private boolean reserve(long lengthBytes) throws IOException {
    if (arena.reserve(recent.keptBytes() + lengthBytes) && index.reserve(recent.size() + 1)) {
      return true;
    }
    arena.giveBackUnused(recent.keptBytes()); // or the index of smaller records would find none
    return false;
  }

  /** Puts a record into room that was made for it. */
  private void enter(byte[] record, int offset, int keyLength, int valueLength, int partition) {
    long prefix = hasPrefix ? order.prefix(record, offset, keyLength) : 0;
    index.append(prefix, arena.append(record, offset, keyLength, valueLength), partition);
    entries[partition]++;
  }

  /** The same with one that may be there several times. */
  private void enterCopies(
      byte[] record, int offset, int keyLength, int valueLength, int partition, int copies) {
    if (copies == 1) {
      enter(record, offset, keyLength, valueLength, partition);
      return;
    }
    long prefix = hasPrefix ? order.prefix(record, offset, keyLength) : 0;
    long address = arena.appendRepeated(record, offset, keyLength, valueLength, copies);
    index.appendRepeated(prefix, address, partition);
    entries[partition]++;
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

  public long recordCount() {
    return Arrays.stream(records).sum();
  }

  /** Bytes of all records as a run has them, without end markers. */
  public long dataBytes() {
    return Arrays.stream(encodedBytes).sum();
  }

  /** Sorts what was appended; the view is valid until {@link #reset}. */
  public SortedRecords sort() {
    if (sorted == null) {
      if (sortBegun) {
        throw new IllegalStateException("sort failed before and left no order: reset the buffer");
      }
      sortBegun = true;
      recent.drain(evicted);
      int[] ends = groupByPartition();
      PrefixSort prefixSort = new PrefixSort(arena, index, order);
      int start = 0;
      for (int end : ends) {
        prefixSort.sort(start, end);
        start = end;
      }
      sorted = new SortedRecords(arena, index, ends, records, encodedBytes);
    }
    return sorted;
  }

  private int[] groupByPartition() {
    int[] next = new int[entries.length];
    int[] ends = new int[entries.length];
    int start = 0;
    for (int i = 0; i < entries.length; i++) {
      next[i] = start;
      start += entries[i];
      ends[i] = start;
    }
    if (entries.length > 1) {
      FlagSort.permute(
          index,
          RecordIndex.PLACE,
          RecordIndex.PARTITION_SHIFT,
          RecordIndex.PARTITION_MASK,
          next,
          ends);
    }
    return ends;
  }

  /** Empties the buffer and gives its chunks back to the pool. */
  public void reset() {
    sortBegun = false;
    sorted = null;
    recent.clear();
    arena.reset();
    index.reset();
    Arrays.fill(entries, 0);
    Arrays.fill(records, 0);
    Arrays.fill(encodedBytes, 0);
  }

  @Override
  public void close() {
    reset();
  }
}
