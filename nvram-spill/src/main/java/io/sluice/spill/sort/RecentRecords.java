package io.sluice.spill.sort;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Small records that came lately, each with how often: a map that counts words emits the same few
 * thousand records over and over, and what is stored once with a number need not be sorted, nor
 * read in another order, a million times. It is exact: a record is another one if a single byte of
 * key or value differs, or the partition, and whatever it knows goes into the buffer in the end.
 *
 * <pre>
 *   ints of a slot, 16 bytes                                          its bytes, 48
 *   | hash | partition | keyLength 8 | valueLength 8 | credit 16 | copies |   | key | value | – |
 * </pre>
 *
 * <p>A record is in one of two slots that share a cache line. One that finds both taken by others
 * lowers the credit of the poorer, takes its place when there is none left, and otherwise is not
 * kept; so frequent records stay. Where fewer than four in five are known, looking costs as much as
 * it spares, and it pauses.
 *
 * <p>Thread contract: single thread. Ownership: 4 MiB of heap, once there have been more than
 * {@link #FIRST_PAUSE} small records. Failure: none.
 */
final class RecentRecords {
  /** The longest key and value together. */
  static final int MAX_BYTES = 48;

  /** As long as a buffer has no more than these it sorts in no time. */
  static final int FIRST_PAUSE = 1 << 10;

  /** So many records are looked up before it is judged; so many are not, if it did not pay. */
  static final int WINDOW = 1 << 14;

  static final int PAUSE = 1 << 19;

  private static final int SLOT_BITS = 16;
  private static final int SLOTS = 1 << SLOT_BITS;
  private static final int INTS = 4;
  private static final int PARTITION = 1;
  private static final int LENGTHS = 2;
  private static final int COPIES = 3;
  private static final int MAX_CREDIT = 0xffff;
  private static final long MIX = 0x9E37_79B9_7F4A_7C15L;
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  private int[] slots;
  private byte[] bytes;
  private int pause = FIRST_PAUSE;
  private int lookups;
  private int known;
  private int size;
  private long keptBytes;

  /** Takes a record that is no longer kept. */
  interface Sink {
    void append(
        byte[] bytes, int offset, int keyLength, int valueLength, int partition, int copies);
  }

  /** Whether a record of such lengths is to be looked up now; to be asked once for each. */
  boolean wants(int keyLength, int valueLength) {
    if ((long) keyLength + valueLength > MAX_BYTES) {
      return false;
    }
    if (pause > 0) {
      pause--;
      return false;
    }
    if (slots == null) {
      slots = new int[SLOTS * INTS];
      bytes = new byte[SLOTS * MAX_BYTES];
    }
    return true;
  }

  /** A number for the methods below. */
  int hash(byte[] record, int offset, int keyLength, int valueLength, int partition) {
    long hash = partition + 1L << 32 | keyLength << 8 | valueLength;
    int at = offset;
    int end = offset + keyLength + valueLength;
    for (; at + Long.BYTES <= end; at += Long.BYTES) {
      hash = mixed(hash ^ (long) LONG.get(record, at));
    }
    long rest = 0;
    for (; at < end; at++) {
      rest = rest << 8 | record[at] & 0xff;
    }
    return (int) (mixed(hash ^ rest) >>> 32);
  }

  private static long mixed(long hash) {
    long product = hash * MIX;
    return product ^ product >>> 32;
  }

  /** Counts the record once more if it is known. */
  boolean count(
      int hash, byte[] record, int offset, int keyLength, int valueLength, int partition) {
    judge();
    int slot = hash >>> 32 - SLOT_BITS;
    if (countIn(slot, hash, record, offset, keyLength, valueLength, partition)
        || countIn(slot ^ 1, hash, record, offset, keyLength, valueLength, partition)) {
      known++;
      return true;
    }
    return false;
  }

  private void judge() {
    if (lookups++ == WINDOW) {
      pause = 5L * known < 4L * lookups ? PAUSE : 0;
      lookups = 0;
      known = 0;
    }
  }

  private boolean countIn(
      int slot,
      int hash,
      byte[] record,
      int offset,
      int keyLength,
      int valueLength,
      int partition) {
    int at = slot * INTS;
    int copies = slots[at + COPIES];
    int lengths = slots[at + LENGTHS];
    if (copies == 0
        || slots[at] != hash
        || slots[at + PARTITION] != partition
        || lengths >>> 16 != (keyLength << 8 | valueLength)
        || copies == Integer.MAX_VALUE) {
      return false;
    }
    int from = slot * MAX_BYTES;
    int length = keyLength + valueLength;
    if (!Arrays.equals(bytes, from, from + length, record, offset, offset + length)) {
      return false;
    }
    slots[at + COPIES] = copies + 1;
    if ((lengths & MAX_CREDIT) != MAX_CREDIT) {
      slots[at + LENGTHS] = lengths + 1;
    }
    return true;
  }

  /**
   * Keeps a record that is not known, if another one can go.
   *
   * @param evicted takes that one, whose room is no longer counted by {@link #keptBytes} and {@link
   *     #size} then
   * @return false if none can: nothing is kept, and nothing has gone
   */
  boolean keep(
      int hash,
      byte[] record,
      int offset,
      int keyLength,
      int valueLength,
      int partition,
      Sink evicted) {
    int slot = poorer(hash >>> 32 - SLOT_BITS);
    int at = slot * INTS;
    if (slots[at + COPIES] != 0) {
      if ((slots[at + LENGTHS] & MAX_CREDIT) != 0) {
        slots[at + LENGTHS]--;
        return false;
      }
      remove(slot, evicted);
    }
    slots[at] = hash;
    slots[at + PARTITION] = partition;
    slots[at + LENGTHS] = (keyLength << 8 | valueLength) << 16;
    slots[at + COPIES] = 1;
    System.arraycopy(record, offset, bytes, slot * MAX_BYTES, keyLength + valueLength);
    size++;
    keptBytes += RecordArena.repeatedLength(keyLength, valueLength);
    return true;
  }

  /** An empty one of both, or that of less credit. */
  private int poorer(int slot) {
    int one = slot * INTS;
    int other = (slot ^ 1) * INTS;
    if (slots[one + COPIES] == 0) {
      return slot;
    }
    return slots[other + COPIES] == 0
            || (slots[other + LENGTHS] & MAX_CREDIT) < (slots[one + LENGTHS] & MAX_CREDIT)
        ? slot ^ 1
        : slot;
  }

  private void remove(int slot, Sink sink) {
    int at = slot * INTS;
    int keyLength = slots[at + LENGTHS] >>> 24;
    int valueLength = slots[at + LENGTHS] >>> 16 & 0xff;
    int copies = slots[at + COPIES];
    slots[at + COPIES] = 0;
    size--;
    keptBytes -= RecordArena.repeatedLength(keyLength, valueLength);
    sink.append(bytes, slot * MAX_BYTES, keyLength, valueLength, slots[at + PARTITION], copies);
  }

  /** Empties it. */
  void drain(Sink sink) {
    for (int slot = 0; size > 0; slot++) {
      if (slots[slot * INTS + COPIES] != 0) {
        remove(slot, sink);
      }
    }
  }

  /** Forgets all. */
  void clear() {
    if (size > 0) {
      Arrays.fill(slots, 0);
      size = 0;
      keptBytes = 0;
    }
  }

  /** How many records it keeps. */
  int size() {
    return size;
  }

  /** What they will take in the arena. */
  long keptBytes() {
    return keptBytes;
  }
}
