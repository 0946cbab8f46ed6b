package io.sluice.bench.memory;

import io.sluice.bench.Variant;

/** Who shuffles, in the same bounded memory. */
public enum MemoryVariant implements Variant {
  /** Hadoop's own, on nodes without Sluice's service, with the fastest of some settings. */
  STOCK("stock tuned"),
  SLUICE("Sluice");

  private final String title;

  MemoryVariant(String title) {
    this.title = title;
  }

  @Override
  public String title() {
    return title;
  }
}
