package io.sluice.spark.engine;

import org.apache.spark.shuffle.checksum.RowBasedChecksum;

/**
 * Checksums over the rows of each partition. Spark 4.1 and later compare them to see whether a task
 * that ran again produced other rows.
 *
 * <p>Only this class names Spark's own class for them. Spark 4.0 has no such class and never loads
 * this one. Thread contract: one thread.
 */
public class RowChecksums {
  /** No checksums: Spark is 4.0, or the shuffle asks for none. */
  public static final RowChecksums NONE = new RowChecksums();

  private RowChecksums() {}

  static RowChecksums of(Object checksums) {
    RowBasedChecksum[] each = (RowBasedChecksum[]) checksums;
    return each.length == 0 ? NONE : new Real(each);
  }

  /** The argument of Spark's sorter for no checksums. */
  static Object none() {
    return new RowBasedChecksum[0];
  }

  /** Adds a row to its partition's checksum. */
  public void update(int partition, Object key, Object value) {}

  /** The checksum over all partitions. */
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
