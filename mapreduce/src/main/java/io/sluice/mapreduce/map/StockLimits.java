package io.sluice.mapreduce.map;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.QuickSort;

/**
 * The settings that stock's collector checks before it begins, and those of its limits that hold
 * here too. A job that stock would refuse, for a setting that Sluice has no use for, is refused in
 * stock's words, which users and tools search logs for.
 *
 * <p>Thread contract: one thread at a time. It is one map's, whose spills it counts.
 */
public final class StockLimits {
  /** The largest {@code mapreduce.task.io.sort.mb}. */
  public static final int MAX_SORT_MB = 2047;

  private static final int UNLIMITED = -1;

  /** What stock keeps of each record besides. */
  private static final int STOCK_INDEX_BYTES = 16;

  private final int sortMb;
  private final int maxSpills;
  private long stockSpills;
  private long keptBytes; // spilled, and in stock's buffer still

  /** Reads them from {@code job}. */
  StockLimits(JobConf job) throws IOException {
    float spillPercent = job.getFloat(MRJobConfig.MAP_SORT_SPILL_PERCENT, 0.8f);
    if (!(spillPercent > 0 && spillPercent <= 1)) {
      throw new IOException(
          "Invalid \"" + MRJobConfig.MAP_SORT_SPILL_PERCENT + "\": " + spillPercent);
    }
    maxSpills = job.getInt(MRJobConfig.SPILL_FILES_COUNT_LIMIT, UNLIMITED);
    if (maxSpills < UNLIMITED) {
      throw new IOException(
          "Invalid value for \""
              + MRJobConfig.SPILL_FILES_COUNT_LIMIT
              + "\", current value: "
              + maxSpills);
    }
    sortMb = job.getInt(MRJobConfig.IO_SORT_MB, MRJobConfig.DEFAULT_IO_SORT_MB);
    if (sortMb < 1 || sortMb > MAX_SORT_MB) {
      throw new IOException("Invalid \"" + MRJobConfig.IO_SORT_MB + "\": " + sortMb);
    }
    job.getClass(MRJobConfig.MAP_SORT_CLASS, QuickSort.class, IndexedSorter.class);
  }

  /** Length of the sort buffer. */
  long sortBytes() {
    return (long) sortMb << 20;
  }

  /**
   * Counts a spill between records. What was spilled earlier than the job's settings say, because
   * memory was short, stock would have kept until its buffer is full.
   *
   * @param isFull whether the sort buffer had all that the job gives it
   * @param records that were in it, of {@code dataBytes} bytes
   * @throws IOException if stock would have spilled more often than the job allows
   */
  void spilled(boolean isFull, int records, long dataBytes) throws IOException {
    if (isFull) {
      stockSpills++;
    } else {
      keptBytes += dataBytes + (long) records * STOCK_INDEX_BYTES;
      stockSpills += keptBytes / sortBytes();
      keptBytes %= sortBytes();
    }
    requireSpills();
  }

  /**
   * Counts the spill with which a map ends, if stock would have anything left to spill.
   *
   * @param isLeft whether the sort buffer has records
   */
  void spilledLast(boolean isLeft) throws IOException {
    if (isLeft || keptBytes > 0) {
      stockSpills++;
      keptBytes = 0;
      requireSpills();
    }
  }

  private void requireSpills() throws IOException {
    if (maxSpills != UNLIMITED && stockSpills > maxSpills) {
      throw new IOException(
          "Too many spill files got created, control it with "
              + MRJobConfig.SPILL_FILES_COUNT_LIMIT
              + ", current value: "
              + maxSpills
              + ", current spill count: "
              + stockSpills);
    }
  }
}
