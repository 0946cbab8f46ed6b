package io.sluice.bench.spark;

import io.sluice.bench.Variant;
import java.util.List;

/** What is measured side by side. */
public enum SparkVariant implements Variant {
  DISK("stock, disk"),
  TMPFS("stock, tmpfs"),
  SLUICE("Sluice"),
  SERVICE("Sluice, node service");

  /** All of them. */
  public static final List<SparkVariant> ALL = List.of(values());

  /** What Sluice is measured by where the local directories are in memory. */
  public static final List<SparkVariant> ON_TMPFS = List.of(TMPFS, SLUICE);

  private final String title;

  SparkVariant(String title) {
    this.title = title;
  }

  /** Whether it shuffles through Sluice. */
  boolean isSluice() {
    return this == SLUICE || this == SERVICE;
  }

  @Override
  public String title() {
    return title;
  }
}
