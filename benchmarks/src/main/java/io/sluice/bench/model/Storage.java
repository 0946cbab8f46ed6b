package io.sluice.bench.model;

import io.sluice.bench.Variant;

/** Where and how Spark keeps persisted blocks; the paper's four, with our pool for its NVMe. */
public enum Storage implements Variant {
  MEMORY("memory, deserialized", "MEMORY_ONLY"),
  SERIALIZED("memory, serialized", "MEMORY_ONLY_SER"),
  POOL("Sluice's pool", "DISK_ONLY"),
  DISK("disk", "DISK_ONLY");

  private final String title;
  private final String level;

  Storage(String title, String level) {
    this.title = title;
    this.level = level;
  }

  @Override
  public String title() {
    return title;
  }

  /** What Spark is told. */
  String level() {
    return level;
  }

  /** Whether its blocks are in memory that is Spark's. */
  boolean isSparksMemory() {
    return this == MEMORY || this == SERIALIZED;
  }
}
