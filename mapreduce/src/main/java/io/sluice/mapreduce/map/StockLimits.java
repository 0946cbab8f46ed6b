package io.sluice.mapreduce.map;

import java.io.IOException;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRJobConfig;
import org.apache.hadoop.util.IndexedSorter;
import org.apache.hadoop.util.QuickSort;

/**
 * The settings that stock's collector checks at its start, and the limits of stock that hold here
 * too. A job that stock refuses is refused here as well, even for a setting that Sluice does not
 * use. Messages are worded as in stock, because users and tools search logs for them.
 *
 * <p>Thread contract: one thread at a time. Each map has its own, because it counts spills.
 */
public final class StockLimits {
  /** The largest {@code mapreduce.task.io.sort.mb}. */
  public static final int MAX_SORT_MB = 2047;

  private static final int UNLIMITED = -1;

  /** Bytes of index that stock keeps for each record. */
  private static final int STOCK_INDEX_BYTES = 16;

  private final int sortMb;
  private final int maxSpills;
  private long stockSpills;
  private long keptBytes; // spilled here, but still in the buffer of stock

  /** Reads and checks the settings of {@code job}. */
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
   * Counts a spill between records. Records that were spilled early, because memory was short,
   * count only when they would fill the buffer of stock.
   *
   * @param isFull whether the sort buffer had the length of the job's setting
   * @param records of the spill, with {@code dataBytes} bytes
   * @throws IOException if stock would have made more spills than the job allows
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
   * Counts the last spill of a map, if stock would have records left.
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
