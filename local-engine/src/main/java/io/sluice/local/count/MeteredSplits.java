package io.sluice.local.count;

import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapreduce.lib.input.FileSplit;

/**
 * Splits of files that a task reads in the place of stock's, which they are in everything but that
 * Hadoop's map task does not count what is read there.
 */
final class MeteredSplits {
  private MeteredSplits() {}

  /** In the place of a class of stock, or that class. */
  static Class<?> inPlaceOf(Class<?> split) {
    if (split == FileSplit.class) {
      return OfNewInterface.class;
    }
    return split == org.apache.hadoop.mapred.FileSplit.class ? OfOldInterface.class : split;
  }

  /** Made by Hadoop, which reads its fields. */
  public static final class OfNewInterface extends FileSplit {
    private final Uncounted uncounted = new Uncounted();

    @Override
    public Path getPath() {
      return uncounted.insteadOf(super.getPath());
    }
  }

  /** The same. */
  public static final class OfOldInterface extends org.apache.hadoop.mapred.FileSplit {
    private final Uncounted uncounted = new Uncounted();

    @Override
    public Path getPath() {
      return uncounted.insteadOf(super.getPath());
    }
  }
}
