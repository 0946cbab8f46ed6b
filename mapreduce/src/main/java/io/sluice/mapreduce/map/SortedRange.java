package io.sluice.mapreduce.map;

import io.sluice.spill.sort.SortedCursor;
import io.sluice.spill.sort.SortedRecords;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * The sorted records of one partition as a combiner reads them.
 *
 * <p>Thread contract: one thread. Ownership: a view; valid as long as the sorted records are.
 */
final class SortedRange implements RawKeyValueIterator {
  private final SortedCursor records;
  private final Progress progress = new Progress();
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();

  SortedRange(SortedRecords records, int partition) {
    this.records = new SortedCursor(records, records.firstOf(partition), records.endOf(partition));
  }

  @Override
  public boolean next() {
    if (!records.next()) {
      return false;
    }
    key.reset(records.bytes(), records.keyOffset(), records.keyLength());
    value.reset(records.bytes(), records.valueOffset(), records.valueLength());
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
