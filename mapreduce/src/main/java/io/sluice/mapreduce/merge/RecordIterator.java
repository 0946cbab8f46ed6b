package io.sluice.mapreduce.merge;

import io.sluice.spill.merge.KWayMerge;
import io.sluice.spill.sort.SortedRecords;
import io.sluice.spill.sort.SortedRecords.SortedCursor;
import java.io.IOException;
import org.apache.hadoop.io.DataInputBuffer;
import org.apache.hadoop.mapred.RawKeyValueIterator;
import org.apache.hadoop.util.Progress;

/**
 * Sorted records in the form that Hadoop's reducers and combiners read: those of a merge, or those
 * of a partition in the sort buffer.
 *
 * <p>Key and value are views of heap memory. They are valid until the next {@link #next}, as {@link
 * RawKeyValueIterator} promises.
 *
 * <p>Thread contract: one thread. Ownership: {@link #close} closes the merge; an iterator over the
 * sort buffer is a view, valid as long as the sorted records are. Failure: {@link IOException} of a
 * run that is damaged or cannot be read.
 */
public abstract class RecordIterator implements RawKeyValueIterator {
  private static final int RECORDS_PER_PROGRESS = 1 << 12;

  private final Progress progress;
  private final DataInputBuffer key = new DataInputBuffer();
  private final DataInputBuffer value = new DataInputBuffer();

  private RecordIterator(Progress progress) {
    this.progress = progress;
  }

  /** Iterates over a merge, and updates {@code progress} as it proceeds. */
  public static RecordIterator of(KWayMerge merge, Progress progress) {
    return new RecordIterator(progress) {
      private int recordsSinceProgress;

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
        getKey().reset(merge.keyBytes(), merge.keyOffset(), merge.keyLength());
        getValue().reset(merge.valueBytes(), merge.valueOffset(), merge.valueLength());
        return true;
      }

      @Override
      public void close() throws IOException {
        merge.close();
      }
    };
  }

  /** Iterates over the sorted records of a partition. */
  public static RecordIterator of(SortedRecords records, int partition) {
    SortedCursor cursor =
        new SortedCursor(records, records.firstOf(partition), records.endOf(partition));
    return new RecordIterator(new Progress()) {
      @Override
      public boolean next() {
        if (!cursor.next()) {
          return false;
        }
        getKey().reset(cursor.bytes(), cursor.keyOffset(), cursor.keyLength());
        getValue().reset(cursor.bytes(), cursor.valueOffset(), cursor.valueLength());
        return true;
      }

      @Override
      public void close() {}
    };
  }

  @Override
  public final DataInputBuffer getKey() {
    return key;
  }

  @Override
  public final DataInputBuffer getValue() {
    return value;
  }

  @Override
  public final Progress getProgress() {
    return progress;
  }
}
