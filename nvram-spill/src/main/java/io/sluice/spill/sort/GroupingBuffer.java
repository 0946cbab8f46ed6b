package io.sluice.spill.sort;

import java.io.IOException;

/**
 * A sort buffer for jobs with a combiner: collects records by key as long as keys come more than
 * once, and as a {@link RecordBuffer} does where that does not pay.
 *
 * <p>Grouped, a record that is not its key's first takes the bytes of its value and none of an
 * index, is found through the processor's caches because frequent keys are there, and is not
 * sorted. A key that comes once costs more than it would in a record buffer, so a sample at the
 * beginning decides, and what each fill was like decides for the next.
 *
 * <p>For those that read what is sorted there is no difference.
 */
public final class GroupingBuffer implements SortBuffer {
  /** Records after which it is seen whether keys come again. */
  static final int SAMPLE_RECORDS = 1 << 15;

  /** A fill of fewer says nothing about the next: it ended because memory was wanted back. */
  private static final int MIN_FILL_RECORDS = 1 << 10;

  private final KeyGroups groups;
  private final RecordBuffer records;
  private boolean grouping = true;
  private boolean pays = true;

  public GroupingBuffer(SortChunks pool, int partitionCount, KeyOrder order) {
    groups = new KeyGroups(pool, partitionCount, order);
    records = new RecordBuffer(pool, partitionCount, order);
  }

  @Override
  public boolean append(byte[] record, int offset, int keyLength, int valueLength, int partition)
      throws IOException {
    if (grouping) {
      groups.check(record, offset, keyLength, valueLength, partition);
      if (!fitsEmpty(keyLength, valueLength)) {
        return false; // and says nothing of the others
      }
      if (!groups.takes(keyLength, valueLength)
          || groups.recordCount() == SAMPLE_RECORDS && !repeats()) {
        pays = false;
      }
      if (pays) {
        if (groups.append(record, offset, keyLength, valueLength, partition)) {
          return true;
        }
        if (groups.recordCount() > 0) {
          return false;
        }
        pays = false; // memory that is too little for the tables has room for a record
      }
      if (groups.recordCount() > SAMPLE_RECORDS || !ungroup()) {
        return false;
      }
    }
    return records.append(record, offset, keyLength, valueLength, partition);
  }

  private boolean repeats() {
    return groups.groupCount() <= groups.recordCount() / 2;
  }

  /** Moves what there is to the record buffer; false if there is no room for both meanwhile. */
  private boolean ungroup() throws IOException {
    if (!groups.copyTo(records)) {
      records.reset();
      return false;
    }
    groups.reset();
    grouping = false;
    return true;
  }

  @Override
  public boolean fitsEmpty(int keyLength, int valueLength) {
    return records.fitsEmpty(keyLength, valueLength);
  }

  @Override
  public long recordCount() {
    return grouping ? groups.recordCount() : records.recordCount();
  }

  @Override
  public long dataBytes() {
    return grouping ? groups.dataBytes() : records.dataBytes();
  }

  @Override
  public SortedSource sort() throws IOException {
    return grouping ? groups.sort() : records.sort();
  }

  @Override
  public void reset() {
    if (grouping && groups.recordCount() >= MIN_FILL_RECORDS) {
      pays &= repeats();
    }
    grouping = pays;
    groups.reset();
    records.reset();
  }

  @Override
  public void close() {
    groups.close();
    records.close();
  }
}
