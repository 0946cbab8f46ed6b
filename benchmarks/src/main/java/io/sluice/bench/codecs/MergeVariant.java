package io.sluice.bench.codecs;

import io.sluice.bench.Variant;

/** Who merges the runs. */
public enum MergeVariant implements Variant {
  /** Stock's Merger with its default {@code mapreduce.task.io.sort.factor}. */
  STOCK_10("stock, factor 10", 10),
  /** The same as it is tuned for large jobs. */
  STOCK_100("stock, factor 100", 100),
  /** As many runs at once as the memory of a task allows. */
  SLUICE("Sluice", 0);

  private final String title;
  private final int factor;

  MergeVariant(String title, int factor) {
    this.title = title;
    this.factor = factor;
  }

  @Override
  public String title() {
    return title;
  }

  /** Most runs that stock merges at once; 0 for Sluice. */
  int factor() {
    return factor;
  }
}
