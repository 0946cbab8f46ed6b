package io.sluice.mapreduce.merge;

import io.sluice.spill.merge.KWayMerge;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * A merge of runs as Hadoop's reducers and combiners read it.
 *
 * <p>Key and value are views into the merge's heap blocks, valid until the next {@link #next}, as
 * {@link RawKeyValueIterator} promises and no longer.
 *
 * <p>Thread contract: one thread. Ownership: {@link #close} closes the merge. Failure: {@link
 * IOException} of the run that is damaged or can no longer be read.
 */
public final class MergedRecords implements RawKeyValueIterator {
  private static final int RECORDS_PER_PROGRESS = 1 << 12;

  private final KWayMerge merge;
  private final Progress progress;
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();
  private int recordsSinceProgress;

  /** Sets {@code progress} as the merge goes on. */
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
