package io.sluice.it.scenario;

import io.sluice.bench.hadoop.HadoopVariant;
import io.sluice.it.cluster.PseudoCluster;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;

/**
 * What stock writes for a scenario's records: run once in each cluster, however often asked for,
 * and in the client's own JVM, which writes the same without starting others.
 */
final class StockOutput {
  private record Made(Path cluster, String scenario) {}

  private static final Set<Made> MADE = new HashSet<>();

  private StockOutput() {}

  /** The directory it is in. */
  static synchronized String of(PseudoCluster cluster, Scenario scenario) {
    Made wanted = new Made(cluster.logs(), scenario.name());
    if (!MADE.contains(wanted)) {
      scenario
          .with("mapreduce.framework.name", "local")
          .run(cluster, HadoopVariant.STOCK)
          .requireSuccess();
      MADE.add(wanted);
    }
    return scenario.output(HadoopVariant.STOCK);
  }
}
