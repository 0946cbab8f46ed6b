package io.sluice.spark.engine;

import org.apache.spark.shuffle.checksum.RowBasedChecksum;

/**
 * Checksums over the rows of each partition, from which Spark 4.1 and later see that a task that
 * ran again has produced something else.
 *
 * <p>The only class that names Spark's own, so that Spark 4.0, which has none, never loads it.
 * Thread contract: one thread.
 */
public class RowChecksums {
  /** None: 4.0, or nobody asked for them. */
  public static final RowChecksums NONE = new RowChecksums();

  private RowChecksums() {}

  static RowChecksums of(Object checksums) {
    RowBasedChecksum[] each = (RowBasedChecksum[]) checksums;
    return each.length == 0 ? NONE : new Real(each);
  }

  /** An argument for Spark's sorter that asks for none. */
  static Object none() {
    return new RowBasedChecksum[0];
  }

  /** Counts a row in. */
  public void update(int partition, Object key, Object value) {}

  /** Over all partitions. */
  public long value() {
    return 0;
  }

  private static final class Real extends RowChecksums {
    private final RowBasedChecksum[] checksums;

    Real(RowBasedChecksum[] checksums) {
      this.checksums = checksums;
    }

    @Override
    public void update(int partition, Object key, Object value) {
      checksums[partition].update(key, value);
    }

    @Override
    public long value() {
      return RowBasedChecksum.getAggregatedChecksumValue(checksums);
    }
  }
}
