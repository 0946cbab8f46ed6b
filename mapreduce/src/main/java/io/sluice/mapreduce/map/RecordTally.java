package io.sluice.mapreduce.map;

import org.apache.hadoop.mapred.Counters;

/**
 * Counts records for Hadoop's combiner runners without the lock that a counter of the task takes
 * each time. Whoever made it adds what it has counted to that one.
 *
 * <p>Thread contract: one thread.
 */
final class RecordTally extends Counters.Counter {
  private long records;

  @Override
  public void increment(long more) {
    records += more;
  }

  @Override
  public long getValue() {
    return records;
  }

  /** What was counted since the last time. */
  long take() {
    long taken = records;
    records = 0;
    return taken;
  }
}
