package io.sluice.bench.local;

import io.sluice.bench.Variant;

/** Who runs a workload on one machine. */
public enum HoneVariant implements Variant {
  /** A cluster of daemons on this machine, with stock's shuffle. */
  CLUSTER("pseudo-distributed"),
  STOCK("LocalJobRunner"),
  SLUICE("Sluice"),
  /** The same program over RDDs, with as many threads as cores. */
  SPARK("Spark local");

  private final String title;

  HoneVariant(String title) {
    this.title = title;
  }

  @Override
  public String title() {
    return title;
  }
}
