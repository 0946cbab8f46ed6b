package io.sluice.spill.sort;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.util.Arrays;

/**
 * The index that a sort moves instead of records: one entry per record, off heap in chunks of the
 * pool.
 *
 * <pre>
 *   0                 8             12       14          16
 *   +-----------------+-------------+--------+-----------+
 *   | key prefix      | address     | length | partition |   native order, low half
 *   +-----------------+-------------+--------+-----------+   of word 1 is the address
 *     word 0 (PREFIX)   word 1 (PLACE)
 * </pre>
 *
 * <p>The length is that of the encoded record, or 0 if it does not fit. So a copy of records in
 * order need not read each header first, which is a cache miss of its own. With more partitions
 * than 16 bits can number, the partition takes the room of the length as well.
 *
 * <p>Thread contract: single thread. Ownership: acquires chunks as it grows, gives all of them back
 * in {@link #reset}.
 */
final class RecordIndex {
  static final int ENTRY_BYTES = 16;
  static final int PREFIX = 0;
  static final int PLACE = 1;

  private static final int LENGTH_SHIFT = 32;
  private static final int LENGTH_BITS = 16;
  private static final int MAX_LENGTH = (1 << LENGTH_BITS) - 1;

  private final SortChunks pool;
  private final int partitionShift;
  private final int maxLength;
  private final int shift;
  private final int mask;
  private ByteBuffer[] chunks = new ByteBuffer[4];
  private LongBuffer[] words = new LongBuffer[4];
  private int chunkCount;
  private int size;

  RecordIndex(SortChunks pool, int partitionCount) {
    boolean hasLengths = partitionCount <= 1 << Long.SIZE - LENGTH_SHIFT - LENGTH_BITS;
    this.pool = pool;
    this.partitionShift = hasLengths ? LENGTH_SHIFT + LENGTH_BITS : LENGTH_SHIFT;
    this.maxLength = hasLengths ? MAX_LENGTH : 0;
    this.shift = Integer.numberOfTrailingZeros(pool.chunkBytes() / ENTRY_BYTES);
    this.mask = (1 << shift) - 1;
  }

  /** Makes room for one more entry; false if the pool is exhausted. */
  boolean reserve() throws IOException {
    if (size < chunkCount << shift) {
      return true;
    }
    ByteBuffer chunk = pool.acquire();
    if (chunk == null) {
      return false;
    }
    if (chunkCount == chunks.length) {
      chunks = Arrays.copyOf(chunks, chunkCount * 2);
      words = Arrays.copyOf(words, chunkCount * 2);
    }
    chunks[chunkCount] = chunk;
    words[chunkCount++] = chunk.order(ByteOrder.nativeOrder()).asLongBuffer();
    return true;
  }

  /** Appends an entry to reserved room. */
  void append(long prefix, long address, long encodedLength, int partition) {
    long length = encodedLength <= maxLength ? encodedLength : 0;
    LongBuffer chunk = words[size >>> shift];
    int at = (size & mask) << 1;
    chunk.put(at, prefix);
    chunk.put(at + PLACE, (long) partition << partitionShift | length << LENGTH_SHIFT | address);
    size++;
  }

  /** Word {@link #PREFIX} or {@link #PLACE} of an entry. */
  long word(int position, int word) {
    return words[position >>> shift].get(((position & mask) << 1) + word);
  }

  void setWord(int position, int word, long value) {
    words[position >>> shift].put(((position & mask) << 1) + word, value);
  }

  /** Where the record of an entry begins in the arena. */
  long address(int position) {
    return addressIn(word(position, PLACE));
  }

  /** The same of a {@link #PLACE}. */
  static long addressIn(long place) {
    return place & 0xffff_ffffL;
  }

  /** Encoded length of the record of a {@link #PLACE}, or 0 if only the arena knows. */
  int lengthIn(long place) {
    return (int) (place >>> LENGTH_SHIFT) & maxLength;
  }

  /** Shift of the partition in {@link #PLACE}. */
  int partitionShift() {
    return partitionShift;
  }

  void set(int position, long prefix, long place) {
    LongBuffer chunk = words[position >>> shift];
    int at = (position & mask) << 1;
    chunk.put(at, prefix);
    chunk.put(at + PLACE, place);
  }

  /** Copies {@code count} entries, two words each, into {@code dst} from its beginning. */
  void copyOut(int position, int count, long[] dst) {
    int done = 0;
    while (done < count) {
      int at = position + done & mask;
      int part = Math.min(count - done, mask + 1 - at);
      words[position + done >>> shift].get(at << 1, dst, done << 1, part << 1);
      done += part;
    }
  }

  /** Overwrites {@code count} entries, two words each, from the beginning of {@code src}. */
  void copyIn(int position, int count, long[] src) {
    int done = 0;
    while (done < count) {
      int at = position + done & mask;
      int part = Math.min(count - done, mask + 1 - at);
      words[position + done >>> shift].put(at << 1, src, done << 1, part << 1);
      done += part;
    }
  }

  /** Whether the prefixes of {@code [from, to)} never fall. */
  boolean isOrdered(int from, int to) {
    long previous = word(from, PREFIX);
    for (int i = from + 1; i < to; i++) {
      long current = word(i, PREFIX);
      if (Long.compareUnsigned(previous, current) > 0) {
        return false;
      }
      previous = current;
    }
    return true;
  }

  /** Whether {@code [from, to)} has more than one entry, and their prefixes are the same. */
  boolean isUniform(int from, int to) {
    int same = from;
    while (same < to && word(same, PREFIX) == word(from, PREFIX)) {
      same++;
    }
    return to - from > 1 && same == to;
  }

  /** Bits in which not all prefixes of {@code [from, to)} agree. */
  long differingBits(int from, int to) {
    long first = word(from, PREFIX);
    long differing = 0;
    for (int i = from + 1; i < to; i++) {
      differing |= word(i, PREFIX) ^ first;
    }
    return differing;
  }

  int size() {
    return size;
  }

  void reset() {
    for (int i = 0; i < chunkCount; i++) {
      pool.release(chunks[i]);
      chunks[i] = null;
      words[i] = null;
    }
    chunkCount = 0;
    size = 0;
  }
}
