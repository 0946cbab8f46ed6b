package io.sluice.mapreduce.map;

import io.sluice.spill.record.RecordFormat;
import io.sluice.spill.sort.KeyOrder;
import io.sluice.spill.sort.RecordBuffer;
import io.sluice.spill.sort.SortChunks;
import io.sluice.spill.sort.SortedCursor;
import io.sluice.spill.sort.SortedRecords;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * A few records of a map, grouped as they come by partition and the bytes of their keys, and small
 * enough for the processor's cache. Only one key of each group is sorted.
 *
 * <p>It differs from a {@link RecordBuffer}, which sorts its keys, in lying on the heap, where
 * combiners want what they read, and in holding equal keys once. Keys whose bytes differ are
 * different groups; the order of the job says later which of them are next to each other.
 *
 * <pre>
 *   group   | hash 4 | partition 4 | key length 4 | first 4 | last 4 | key | own offset 4 |
 *   value   | next 4 | length 4 | value |            offsets; 0 for none; native order
 * </pre>
 *
 * <p>Life: {@link #add} until it says no, {@link #sort}, {@link #records} of each partition, {@link
 * #reset}, and again. Thread contract: single thread at a time. Ownership: plain heap memory from
 * the first record on, one and a quarter of its length; the sorted keys lie off the heap, in at
 * most twice its length, and its owner closes it. Failure: exceptions of the job's comparator,
 * after which only {@link #close} is left.
 */
final class CombineWindow implements AutoCloseable {
  /** Least length of a window. */
  static final int MIN_BYTES = 16 << 10;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.nativeOrder());
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private static final int HASH = 0;
  private static final int PARTITION = 4;
  private static final int KEY_LENGTH = 8;
  private static final int FIRST = 12;
  private static final int LAST = 16;
  private static final int KEY = 20;
  private static final int OWN_OFFSET_BYTES = 4;

  private static final int NEXT = 0;
  private static final int VALUE_LENGTH = 4;
  private static final int VALUE = 8;

  /** No offset of anything, since the window begins behind it. */
  private static final int NONE = 0;

  private static final int BEGIN = 4;

  /** Groups are looked for in so many slots; what is not found becomes another group. */
  private static final int MAX_PROBES = 16;

  private static final int BYTES_PER_SLOT = 16;
  private static final int LARGE_SHARE = 8;
  private static final int CHUNKS = 16;

  private final int capacityBytes;
  private final SortChunks chunks;
  private final RecordBuffer keys;
  private byte[] bytes; // null before the first record
  private int[] slots; // offsets of groups
  private int end = BEGIN;
  private int records;
  private long encodedBytes;
  private SortedRecords sorted;

  /**
   * An empty one.
   *
   * @param capacityBytes its length, a power of two
   */
  CombineWindow(int capacityBytes, int partitions, KeyOrder order) {
    this.capacityBytes = capacityBytes;
    chunks = new SortChunks(2L * capacityBytes, 2 * capacityBytes / CHUNKS);
    keys = new RecordBuffer(chunks, partitions, order);
  }

  /** Whether a record takes so much of the window that it had better be sorted elsewhere. */
  boolean isLarge(int keyLength, int valueLength) {
    return (long) keyLength + valueLength > capacityBytes / LARGE_SHARE;
  }

  /**
   * Adds a record whose key and value lie one after the other from the beginning of {@code record}.
   *
   * @return false if it does not fit, and nothing has changed
   */
  boolean add(byte[] record, int keyLength, int valueLength, int partition) throws IOException {
    if (bytes == null) {
      bytes = new byte[capacityBytes];
      slots = new int[capacityBytes / BYTES_PER_SLOT];
    }
    int most = KEY + keyLength + OWN_OFFSET_BYTES + VALUE + valueLength;
    if (most > capacityBytes - end) {
      return false;
    }
    int hash = hash(record, keyLength, partition);
    int slot = hash & slots.length - 1;
    int probes = 0;
    while (slots[slot] != NONE
        && probes < MAX_PROBES
        && !isGroup(slots[slot], hash, record, keyLength, partition)) {
      slot = slot + 1 & slots.length - 1;
      probes++;
    }
    int group = slots[slot];
    if (group == NONE || probes == MAX_PROBES) {
      group = addGroup(hash, record, keyLength, partition);
      if (group == NONE) {
        return false;
      }
      slots[slot] = group;
    }
    addValue(group, record, keyLength, valueLength);
    records++;
    encodedBytes += RecordFormat.encodedLength(keyLength, valueLength);
    return true;
  }

  private static int hash(byte[] key, int length, int partition) {
    long hash = partition;
    int at = 0;
    for (; at + Long.BYTES <= length; at += Long.BYTES) {
      hash = mixed(hash ^ (long) LONG.get(key, at));
    }
    long rest = length - at;
    for (; at < length; at++) {
      rest = rest << 8 | key[at] & 0xff;
    }
    return (int) mixed(hash ^ rest);
  }

  private static long mixed(long value) {
    long product = value * 0x9E37_79B9_7F4A_7C15L;
    return product ^ product >>> 32;
  }

  private boolean isGroup(int group, int hash, byte[] key, int length, int partition) {
    return intAt(group + HASH) == hash
        && intAt(group + PARTITION) == partition
        && intAt(group + KEY_LENGTH) == length
        && Arrays.equals(bytes, group + KEY, group + KEY + length, key, 0, length);
  }

  /** Returns its offset, or {@link #NONE} if there is no room for another key. */
  private int addGroup(int hash, byte[] key, int length, int partition) throws IOException {
    int group = end;
    int own = group + KEY + length;
    System.arraycopy(key, 0, bytes, group + KEY, length);
    putInt(own, group);
    if (!keys.append(bytes, group + KEY, length, OWN_OFFSET_BYTES, partition)) {
      return NONE;
    }
    putInt(group + HASH, hash);
    putInt(group + PARTITION, partition);
    putInt(group + KEY_LENGTH, length);
    putInt(group + FIRST, NONE);
    end = own + OWN_OFFSET_BYTES;
    return group;
  }

  private void addValue(int group, byte[] record, int offset, int length) {
    int value = end;
    putInt(value + NEXT, NONE);
    putInt(value + VALUE_LENGTH, length);
    System.arraycopy(record, offset, bytes, value + VALUE, length);
    if (intAt(group + FIRST) == NONE) {
      putInt(group + FIRST, value);
    } else {
      putInt(intAt(group + LAST) + NEXT, value);
    }
    putInt(group + LAST, value);
    end = value + VALUE + length;
  }

  private int intAt(int offset) {
    return (int) INT.get(bytes, offset);
  }

  private void putInt(int offset, int value) {
    INT.set(bytes, offset, value);
  }

  int recordCount() {
    return records;
  }

  /** Bytes of all records as a run has them. */
  long encodedBytes() {
    return encodedBytes;
  }

  /** Sorts its keys. */
  void sort() {
    sorted = keys.sort();
  }

  /** Whether a partition has records, once they are sorted. */
  boolean hasRecords(int partition) {
    return sorted.firstOf(partition) < sorted.endOf(partition);
  }

  /** The records of a partition in the order of their keys, once they are sorted. */
  RawKeyValueIterator records(int partition) {
    return new Records(partition);
  }

  /** Empties it. */
  void reset() {
    sorted = null;
    keys.reset();
    if (slots != null) {
      Arrays.fill(slots, NONE);
    }
    end = BEGIN;
    records = 0;
    encodedBytes = 0;
  }

  @Override
  public void close() {
    try (chunks) {
      keys.close();
    }
  }

  /** Of one partition; key and value are views into the window. */
  private final class Records implements RawKeyValueIterator {
    private final SortedCursor groups;
    private final Progress progress = new Progress();
    private final DataInputBuffer key = new DataInputBuffer();
    private final DataInputBuffer value = new DataInputBuffer();
    private int group;
    private int next = NONE;

    Records(int partition) {
      groups = new SortedCursor(sorted, sorted.firstOf(partition), sorted.endOf(partition));
    }

    @Override
    public boolean next() {
      if (next == NONE) {
        if (!groups.next()) {
          return false;
        }
        group = (int) INT.get(groups.bytes(), groups.valueOffset());
        next = intAt(group + FIRST);
      }
      key.reset(bytes, group + KEY, intAt(group + KEY_LENGTH));
      value.reset(bytes, next + VALUE, intAt(next + VALUE_LENGTH));
      next = intAt(next + NEXT);
      return true;
    }

    @Override
    public DataInputBuffer getKey() {
      return key;
    }

    @Override
    public DataInputBuffer getValue() {
      return value;
    }

    @Override
    public Progress getProgress() {
      return progress;
    }

    @Override
    public void close() {
      // A view owns nothing.
    }
  }
}
