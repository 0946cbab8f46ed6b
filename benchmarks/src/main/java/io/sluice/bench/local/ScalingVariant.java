package io.sluice.bench.local;

import io.sluice.bench.Variant;

/** With how many threads the engine runs a job, and on how many processors. */
enum ScalingVariant implements Variant {
  /** One slot of each kind, and all threads of the process on one processor. */
  ONE_CORE("1 thread, 1 core", 1, 1),
  /**
   * The same while another such process runs on the other processor, with files of its own: what
   * the machine itself loses when both of its processors work.
   */
  BESIDE_ANOTHER("1 thread, 1 core, beside another process", 1, 1),
  /** One slot of each kind: a map reads while the one before sorts. */
  ONE("1 thread, 2 cores", 1, 2),
  TWO("2 threads, 2 cores", 2, 2);

  private final String title;
  private final int threads;
  private final int cores;

  ScalingVariant(String title, int threads, int cores) {
    this.title = title;
    this.threads = threads;
    this.cores = cores;
  }

  @Override
  public String title() {
    return title;
  }

  /** Map, sort and reduce slots, each. */
  int threads() {
    return threads;
  }

  int cores() {
    return cores;
  }
}
