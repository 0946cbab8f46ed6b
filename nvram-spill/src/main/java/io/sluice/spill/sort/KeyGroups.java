package io.sluice.spill.sort;

import io.sluice.spill.record.RecordFormat;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Records collected by key: each key once, with a chain of its values. What is sorted is the keys,
 * and a combiner finds the values of each side by side, in the order in which they came.
 *
 * <p>Keys belong together if their bytes are equal, whatever the job's comparator says; keys that
 * it calls equal stay neighbours.
 *
 * <pre>
 *   record in the arena   | header | key | first block | end of the chain | partition |
 *                                        0             4                  12         16
 *   chain of blocks       see {@link ValueBlocks}
 * </pre>
 *
 * <p>A search that meets too many other keys gives up, and the key begins another group: groups are
 * a means to be fast, and one key may have several.
 *
 * <p>Thread contract and life: those of a {@link SortBuffer}. Ownership: its owner closes it.
 */
final class KeyGroups implements AutoCloseable {
  static final int FIRST_BLOCK = 0;
  static final int END = 4;
  static final int PARTITION = 12;
  private static final int HEAD_BYTES = 16;

  private static final int MAX_PROBES = 64;

  private final RecordBuffer keys;
  private final ValueBlocks values;
  private final GroupTable table;
  private byte[] keyAndHead = new byte[64];
  private long recordCount;
  private long dataBytes;

  KeyGroups(SortChunks pool, int partitionCount, KeyOrder order) {
    keys = new RecordBuffer(pool, partitionCount, order);
    values = new ValueBlocks(pool);
    table = new GroupTable(pool);
  }

  /** Whether records of these lengths can be grouped at all, if there is room. */
  boolean takes(int keyLength, int valueLength) {
    return values.takes(valueLength) && keyLength <= values.maxBlockBytes();
  }

  /** Throws what {@link SortBuffer#append} does for these arguments, or after a sort. */
  void check(byte[] record, int offset, int keyLength, int valueLength, int partition) {
    keys.check(record, offset, keyLength, valueLength, partition);
  }

  /**
   * Adds a record that it {@link #takes}, and that is checked; false if there is no room for it.
   */
  boolean append(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    if (!table.reserve()) {
      return false;
    }
    int hash = KeyHash.of(record, offset, keyLength, partition);
    int slot = table.first(hash);
    boolean added;
    for (int probes = 1; ; probes++) {
      long entry = table.entry(slot);
      if (entry == 0) {
        added = open(slot, hash, record, offset, keyLength, valueLength, partition);
        break;
      }
      if ((int) (entry >>> 32) == (hash | 1)) {
        long group = entry & 0xffff_ffffL;
        long head = headOf(group, record, offset, keyLength, partition);
        if (head >= 0) {
          added = add(head, record, offset + keyLength, valueLength);
          break;
        }
      }
      if (probes == MAX_PROBES) {
        added = open(-1, hash, record, offset, keyLength, valueLength, partition);
        break;
      }
      slot = table.after(slot);
    }
    if (added) {
      recordCount++;
      dataBytes += RecordFormat.encodedLength(keyLength, valueLength);
    }
    return added;
  }

  /** Where the head of a group lies if it has that key and partition, or -1. */
  private long headOf(long group, byte[] record, int offset, int keyLength, int partition) {
    RecordArena arena = keys.arena();
    if ((int) (arena.lengths(group) >>> 32) != keyLength) {
      return -1;
    }
    long key = group + RecordFormat.headerLength(keyLength, HEAD_BYTES);
    long head = key + keyLength;
    return arena.getInt(head + PARTITION) == partition
            && arena.matches(key, record, offset, keyLength)
        ? head
        : -1;
  }

  private boolean add(long head, byte[] record, int valueOffset, int valueLength)
      throws IOException {
    RecordArena arena = keys.arena();
    long end = values.append(arena.getLong(head + END), record, valueOffset, valueLength);
    if (end == ValueBlocks.NONE) {
      return false;
    }
    arena.putLong(head + END, end);
    return true;
  }

  private boolean open(
      int slot, int hash, byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    long end = values.open(record, offset + keyLength, valueLength);
    if (end == ValueBlocks.NONE) {
      return false;
    }
    if (keyAndHead.length < keyLength + HEAD_BYTES) {
      keyAndHead = new byte[2 * (keyLength + HEAD_BYTES)];
    }
    System.arraycopy(record, offset, keyAndHead, 0, keyLength);
    ByteBuffer.wrap(keyAndHead, keyLength, HEAD_BYTES)
        .putInt(ValueBlocks.block(end))
        .putLong(end)
        .putInt(partition);
    long group = keys.place(keyAndHead, 0, keyLength, HEAD_BYTES, partition);
    if (group < 0) {
      return false; // the block is lost until the reset that is due now
    }
    if (slot >= 0) {
      table.put(slot, hash, group);
    }
    return true;
  }

  /** Adds all records to another buffer; false if that has no room for them, and then some. */
  boolean copyTo(RecordBuffer other) throws IOException {
    GroupCursor cursor = new GroupCursor(keys.asCollected(), values);
    byte[] record = new byte[256];
    while (cursor.next()) {
      int keyLength = cursor.keyLength();
      int valueLength = cursor.valueLength();
      if (keyLength + valueLength > record.length) {
        record = new byte[2 * (keyLength + valueLength)];
      }
      System.arraycopy(cursor.keyBytes(), cursor.keyOffset(), record, 0, keyLength);
      System.arraycopy(cursor.valueBytes(), cursor.valueOffset(), record, keyLength, valueLength);
      if (!other.append(record, 0, keyLength, valueLength, cursor.partition())) {
        return false;
      }
    }
    return true;
  }

  /** Groups that it has now. */
  long groupCount() {
    return keys.recordCount();
  }

  /** Records of all groups. */
  long recordCount() {
    return recordCount;
  }

  /** Bytes of all records as a run has them. */
  long dataBytes() {
    return dataBytes;
  }

  /** Sorts the keys; the view is valid until {@link #reset}. */
  SortedSource sort() {
    SortedRecords sorted = keys.sort();
    return new SortedSource() {
      @Override
      public boolean isEmpty(int partition) {
        return sorted.isEmpty(partition);
      }

      @Override
      public RecordCursor cursor(int partition) {
        return new GroupCursor(sorted.cursor(partition), values);
      }
    };
  }

  void reset() {
    keys.reset();
    values.reset();
    table.reset();
    recordCount = 0;
    dataBytes = 0;
  }

  @Override
  public void close() {
    reset();
  }
}
