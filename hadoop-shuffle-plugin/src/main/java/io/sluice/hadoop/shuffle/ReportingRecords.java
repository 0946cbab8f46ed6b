package io.sluice.hadoop.shuffle;

import io.sluice.node.client.FetchFailedException;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * The reducer's input, which tells the ApplicationMaster which map to run again when the input
 * breaks off: records are read while they are reduced, so an output can be lost that late, and the
 * next attempt of this reduce must not run into the same.
 *
 * <p>Thread contract: one thread. Ownership: owns the records below. Failure: rethrows what they
 * throw, after the report.
 */
final class ReportingRecords implements RawKeyValueIterator {
  private final RawKeyValueIterator records;
  private final Reporting reporting;

  /** What to do about an input that broke off. */
  interface Reporting {
    /**
     * Finds out which output is to blame if {@code failure} does not say it.
     *
     * @return the failure to throw
     */
    IOException investigate(IOException failure);

    /** The output of this map attempt is lost. */
    void outputLost(String outputId) throws IOException;
  }

  ReportingRecords(RawKeyValueIterator records, Reporting reporting) {
    this.records = records;
    this.reporting = reporting;
  }

  @Override
  public boolean next() throws IOException {
    try {
      return records.next();
    } catch (IOException e) {
      IOException failure = reporting.investigate(e);
      if (failure instanceof FetchFailedException lost) {
        reporting.outputLost(lost.outputId());
      }
      throw failure;
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
