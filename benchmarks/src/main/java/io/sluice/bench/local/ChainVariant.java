package io.sluice.bench.local;

import io.sluice.bench.Variant;

/** Who runs a chain of jobs, and where its intermediate files are. */
enum ChainVariant implements Variant {
  STOCK("LocalJobRunner", "local", false),
  SLUICE_FILES("Sluice, files", "sluice", false),
  /** What jobs put out, the last one too, is in the in-memory namespace. */
  SLUICE_MEMORY("Sluice, in memory", "sluice", true);

  private final String title;
  private final String framework;
  private final boolean inMemory;

  ChainVariant(String title, String framework, boolean inMemory) {
    this.title = title;
    this.framework = framework;
    this.inMemory = inMemory;
  }

  @Override
  public String title() {
    return title;
  }

  String framework() {
    return framework;
  }

  boolean inMemory() {
    return inMemory;
  }
}
