package io.sluice.jars;

import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.JarTests;
import java.util.List;
import java.util.Set;

/** The jar that Spark's applications bring. */
final class SparkJarIT extends JarTests {
  SparkJarIT() {
    super(
        "io/sluice/(spark|node|rdma|spill)/.*",
        Set.of(Bundled.JUCX, Bundled.JNA, Bundled.LIBFFI),
        List.of(
            "io.sluice.spark.SluiceShuffleManager",
            "io.sluice.spark.SluicePlugin",
            "io.sluice.spark.SluiceHistoryPlugin",
            "io.sluice.spark.service.SluiceDataIO",
            "io.sluice.spark.report.ExecutorReport",
            "io.sluice.spark.report.ReportsEvent",
            "io.sluice.spark.report.HistoryTab",
            "io.sluice.spark.report.Spark35Page",
            "io.sluice.spark.PoolShuffleManager",
            "io.sluice.spark.PluginParts",
            "io.sluice.spark.Spark35BlockResolver"));
  }
}
