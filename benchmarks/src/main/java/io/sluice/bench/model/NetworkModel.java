package io.sluice.bench.model;

import java.util.List;

/**
 * The second equation of Chen and Rodero (section V): {@code Time_network = alpha + S_block *
 * N_tasks / B}. All tasks that run at a time share the bandwidth.
 *
 * <p>Thread contract: immutable.
 *
 * @param alphaMs the latency of a message
 * @param bytesPerMs B; infinite if the fit sees no cost of bytes
 */
record NetworkModel(double alphaMs, double bytesPerMs) {
  private static final double BITS = 8;
  private static final double MS_PER_S = 1e3;
  private static final double GIGA = 1e9;

  static NetworkModel ofGbps(double alphaMs, double gbps) {
    return new NetworkModel(alphaMs, gbps * GIGA / BITS / MS_PER_S);
  }

  /** Of points whose size is S_block * N_tasks, in bytes, and whose cost is in ms. */
  static NetworkModel fit(List<LineFit.Point> points) {
    LineFit line = LineFit.of(points);
    return new NetworkModel(line.base(), 1 / line.slope());
  }

  /** How long a task waits for its block while so many run. */
  double timeMs(double blockBytes, int tasks) {
    return alphaMs + blockBytes * tasks / bytesPerMs;
  }

  double gbps() {
    return bytesPerMs * BITS * MS_PER_S / GIGA;
  }
}
