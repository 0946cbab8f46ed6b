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
 */
final class StockLimits {
  private static final int UNLIMITED = -1;
  private static final int MAX_SORT_MB = 2047;

  private final int sortMb;
  private final int maxSpills;

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

  /** Fails a map that has spilled more often than its job allows. */
  void requireSpills(int spills) throws IOException {
    if (maxSpills != UNLIMITED && spills > maxSpills) {
      throw new IOException(
          "Too many spill files got created, control it with "
              + MRJobConfig.SPILL_FILES_COUNT_LIMIT
              + ", current value: "
              + maxSpills
              + ", current spill count: "
              + spills);
    }
  }
}
