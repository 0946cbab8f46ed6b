package io.sluice.bench.spark;

import io.sluice.bench.Variant;
import java.util.List;

/** What is measured side by side. */
public enum SparkVariant implements Variant {
  DISK("stock, disk"),
  TMPFS("stock, tmpfs"),
  TMPFS_ENCRYPTED("stock, tmpfs, encrypted"),
  SLUICE("Sluice"),
  SLUICE_ENCRYPTED("Sluice, encrypted"),
  SERVICE("Sluice, node service");

  /** Every place of map outputs. */
  public static final List<SparkVariant> ALL = List.of(DISK, TMPFS, SLUICE, SERVICE);

  /** What Sluice is measured by where the local directories are in memory. */
  public static final List<SparkVariant> ON_TMPFS = List.of(TMPFS, SLUICE);

  /** What it costs that executors encrypt what they send each other. */
  public static final List<SparkVariant> ENCRYPTED =
      List.of(TMPFS, TMPFS_ENCRYPTED, SLUICE, SLUICE_ENCRYPTED);

  private final String title;

  SparkVariant(String title) {
    this.title = title;
  }

  /** Whether it shuffles through Sluice. */
  boolean isSluice() {
    return this == SLUICE || this == SLUICE_ENCRYPTED || this == SERVICE;
  }

  boolean isEncrypted() {
    return this == TMPFS_ENCRYPTED || this == SLUICE_ENCRYPTED;
  }

  /** Whether local directories are in memory. */
  boolean isOnTmpfs() {
    return this == TMPFS || this == TMPFS_ENCRYPTED;
  }

  @Override
  public String title() {
    return title;
  }
}
