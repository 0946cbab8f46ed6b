package io.sluice.mapreduce.map;

import io.sluice.spill.sort.RecordCursor;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * The sorted records of one partition as a combiner reads them.
 *
 * <p>Thread contract: one thread. Ownership: a view; valid as long as the sorted records are.
 */
final class SortedRange implements RawKeyValueIterator {
  private final RecordCursor records;
  private final Progress progress = new Progress();
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();

  SortedRange(RecordCursor records) {
    this.records = records;
  }

  @Override
  public boolean next() {
    if (!records.next()) {
      return false;
    }
    key.reset(records.keyBytes(), records.keyOffset(), records.keyLength());
    value.reset(records.valueBytes(), records.valueOffset(), records.valueLength());
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
