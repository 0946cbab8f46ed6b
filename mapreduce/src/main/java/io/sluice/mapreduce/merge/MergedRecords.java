package io.sluice.mapreduce.merge;

import io.sluice.spill.merge.KWayMerge;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * A merge of runs, in the form that Hadoop's reducers and combiners read.
 *
 * <p>Key and value are views of the merge's heap blocks. They are valid until the next {@link
 * #next}, as {@link RawKeyValueIterator} promises.
 *
 * <p>Thread contract: one thread. Ownership: {@link #close} closes the merge. Failure: {@link
 * IOException} of a run that is damaged or cannot be read.
 */
public final class MergedRecords implements RawKeyValueIterator {
  private static final int RECORDS_PER_PROGRESS = 1 << 12;

  private final KWayMerge merge;
  private final Progress progress;
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private int recordsSinceProgress;

  /** Updates {@code progress} as the merge proceeds. */
  public MergedRecords(KWayMerge merge, Progress progress) {
    this.merge = merge;
    this.progress = progress;
  }

  @Override
  public boolean next() throws IOException {
    if (!merge.next()) {
      progress.set(1.0f);
      return false;
    }
    if (++recordsSinceProgress == RECORDS_PER_PROGRESS) {
      recordsSinceProgress = 0;
      progress.set(merge.progress());
    }
    key.reset(merge.keyBytes(), merge.keyOffset(), merge.keyLength());
    value.reset(merge.valueBytes(), merge.valueOffset(), merge.valueLength());
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
  public void close() throws IOException {
    merge.close();
  }
}
