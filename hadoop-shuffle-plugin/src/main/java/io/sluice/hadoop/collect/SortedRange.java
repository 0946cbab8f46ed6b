package io.sluice.hadoop.collect;

import io.sluice.spill.sort.SortedRecords;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * The sorted records of one partition as a combiner reads them.
 *
 * <p>Each record is copied from the off-heap buffer into one heap array, which holds it until the
 * next {@link #next}. Thread contract: one thread. Ownership: a view; valid as long as the sorted
 * records are.
 */
final class SortedRange implements RawKeyValueIterator {
  private final SortedRecords records;
  private final int end;
  private final Progress progress = new Progress();
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private byte[] current = new byte[256];
  private int position;

  SortedRange(SortedRecords records, int partition) {
    this.records = records;
    this.position = records.firstOf(partition) - 1;
    this.end = records.endOf(partition);
  }

  @Override
  public boolean next() {
    if (++position >= end) {
      return false;
    }
    int keyLength = records.keyLength(position);
    int valueLength = records.valueLength(position);
    if (current.length < keyLength + valueLength) {
      current = new byte[Math.max(keyLength + valueLength, 2 * current.length)];
    }
    records.copyKeyValue(position, current, 0);
    key.reset(current, 0, keyLength);
    value.reset(current, keyLength, valueLength);
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
