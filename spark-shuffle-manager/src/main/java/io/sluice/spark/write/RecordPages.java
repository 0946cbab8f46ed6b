package io.sluice.spark.write;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Serialized records in pages, and an index that sorts them by partition.
 *
 * <pre>
 *   index entry   | 0 | partition (24 bits) | page (21) | offset in the page (18) |
 *   in the page   | int32 length | bytes |
 * </pre>
 *
 * <p>Entries compare as numbers, so that sorting them leaves the records of a partition in the
 * order in which they came. A record longer than a page has one of its own.
 *
 * <p>Thread contract: one thread. Memory is accounted for before it is taken.
 */
final class RecordPages {
  /** One more than the highest partition number. */
  static final int MOST_PARTITIONS = 1 << 24;

  private static final int OFFSET_BITS = 18; // 256 KiB, shorter than what G1 collects for
  private static final int PAGE_BITS = 21; // 63 bits in all: entries must not be negative
  private static final int PAGE_BYTES = 1 << OFFSET_BITS;
  private static final int FIRST_INDEX_LENGTH = 1 << 12;

  /** Most records: an index of 8 GiB. The index doubles, and an array cannot hold twice as many. */
  private static final int MOST_RECORDS = 1 << 30;

  private static final int MOST_PAGES = 1 << PAGE_BITS;

  private final PartitionBuffer.Budget budget;
  private final Full full;
  private final int mostRecords;
  private final int mostPages;
  private final List<byte[]> pages = new ArrayList<>();
  private long[] index = new long[0];
  private int count;
  private int position;

  /**
   * Holds no records yet.
   *
   * @param full empties this when the records or the pages reach their limit
   */
  RecordPages(PartitionBuffer.Budget budget, Full full) {
    this(budget, full, MOST_RECORDS, MOST_PAGES);
  }

  /** The same with lower limits. */
  RecordPages(PartitionBuffer.Budget budget, Full full, int mostRecords, int mostPages) {
    this.budget = budget;
    this.full = full;
    this.mostRecords = mostRecords;
    this.mostPages = mostPages;
  }

  /** Empties the pages when they are full. */
  interface Full {
    /** Writes all records out, and calls {@link #clear}. */
    void drain() throws IOException;
  }

  /** Adds a record. */
  void add(int partition, byte[] bytes, int lengthBytes) throws IOException {
    int needed = Integer.BYTES + lengthBytes;
    if (count == mostRecords || pages.size() == mostPages && missingPageBytes(needed) > 0) {
      full.drain();
    }
    makeRoom(needed);
    byte[] page = pages.get(pages.size() - 1);
    index[count++] =
        (long) partition << (PAGE_BITS + OFFSET_BITS)
            | (long) (pages.size() - 1) << OFFSET_BITS
            | position;
    page[position] = (byte) (lengthBytes >>> 24);
    page[position + 1] = (byte) (lengthBytes >>> 16);
    page[position + 2] = (byte) (lengthBytes >>> 8);
    page[position + 3] = (byte) lengthBytes;
    System.arraycopy(bytes, 0, page, position + Integer.BYTES, lengthBytes);
    position += needed;
  }

  /** Takes all memory before it uses any: taking memory may empty this, and then more is needed. */
  private void makeRoom(int neededBytes) throws IOException {
    long takenBytes = 0;
    long missingBytes = missingIndexBytes() + missingPageBytes(neededBytes);
    while (missingBytes > takenBytes) {
      long askedBytes = missingBytes - takenBytes;
      boolean held = index.length > 0;
      budget.take(askedBytes);
      boolean emptied = held && index.length == 0; // the budget then freed it
      takenBytes = emptied ? askedBytes : missingBytes;
      missingBytes = missingIndexBytes() + missingPageBytes(neededBytes);
    }
    if (missingIndexBytes() > 0) {
      index = Arrays.copyOf(index, grownIndexLength());
    }
    if (missingPageBytes(neededBytes) > 0) {
      addPage(missingPageBytes(neededBytes));
    }
  }

  private long missingIndexBytes() {
    return count < index.length ? 0 : (long) (grownIndexLength() - index.length) * Long.BYTES;
  }

  private int grownIndexLength() {
    return Math.max(FIRST_INDEX_LENGTH, 2 * index.length);
  }

  private int missingPageBytes(int neededBytes) {
    boolean fits =
        !pages.isEmpty()
            && position + neededBytes <= pages.get(pages.size() - 1).length
            && position < PAGE_BYTES;
    return fits ? 0 : Math.max(PAGE_BYTES, neededBytes);
  }

  private void addPage(int lengthBytes) {
    pages.add(new byte[lengthBytes]);
    position = 0;
  }

  /** Sorts the records by partition; frees no memory. */
  void sort() {
    Arrays.sort(index, 0, count);
  }

  int count() {
    return count;
  }

  /** Partition of a record; valid after {@link #sort}. */
  int partition(int i) {
    return (int) (index[i] >>> (PAGE_BITS + OFFSET_BITS));
  }

  /** Writes a record's bytes to a stream. */
  void writeTo(int i, OutputStream out) throws IOException {
    byte[] page = page(i);
    int at = offset(i);
    out.write(page, at + Integer.BYTES, lengthBytes(page, at));
  }

  /** Length of the records from {@code first} to the one before {@code end}. */
  long lengthBytes(int first, int end) {
    long lengthBytes = 0;
    for (int i = first; i < end; i++) {
      lengthBytes += lengthBytes(page(i), offset(i));
    }
    return lengthBytes;
  }

  private byte[] page(int i) {
    return pages.get((int) (index[i] >>> OFFSET_BITS) & ((1 << PAGE_BITS) - 1));
  }

  private int offset(int i) {
    return (int) index[i] & (PAGE_BYTES - 1);
  }

  private static int lengthBytes(byte[] page, int at) {
    return (page[at] & 0xff) << 24
        | (page[at + 1] & 0xff) << 16
        | (page[at + 2] & 0xff) << 8
        | page[at + 3] & 0xff;
  }

  /** Drops all records and their memory. */
  void clear() {
    pages.clear();
    index = new long[0];
    count = 0;
    position = 0;
  }
}
