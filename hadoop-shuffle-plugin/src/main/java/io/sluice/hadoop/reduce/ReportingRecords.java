package io.sluice.hadoop.reduce;

import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * The reducer's input, which reports a map output that is lost as late as here: records are read
 * while they are reduced.
 *
 * <p>Thread contract: one thread. Ownership: owns the records below. Failure: what they throw, or
 * what {@link LostOutputs} makes of it.
 */
final class ReportingRecords implements RawKeyValueIterator {
  private final RawKeyValueIterator records;
  private final LostOutputs lostOutputs;

  ReportingRecords(RawKeyValueIterator records, LostOutputs lostOutputs) {
    this.records = records;
    this.lostOutputs = lostOutputs;
  }

  @Override
  public boolean next() throws IOException {
    try {
      return records.next();
    } catch (IOException e) {
      throw lostOutputs.report(e);
    }
  }

  @Override
  public DataInputBuffer getKey() throws IOException {
    return records.getKey();
  }

  @Override
  public DataInputBuffer getValue() throws IOException {
    return records.getValue();
  }

  @Override
  public Progress getProgress() {
    return records.getProgress();
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
