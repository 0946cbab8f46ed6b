package io.sluice.bench.rmr;

import io.sluice.bench.hadoop.Size;

/** A program on an input of about a size. */
record SizedWorkload(RmrWorkload workload, long sizeBytes) {
  String size() {
    return Size.show(sizeBytes);
  }

  /** Its name in results. */
  @Override
  public String toString() {
    return workload.title() + " of " + size();
  }
}
