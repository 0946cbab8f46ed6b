package io.sluice.jars;

import io.sluice.node.testing.JarTests;
import java.util.List;

/** The jar that Spark's applications bring, and that a node's own service is started with. */
final class SparkJarIT extends JarTests {
  SparkJarIT() {
    super(
        List.of(
            "io/sluice/(spark|node|rdma|spill|picocli)/.*",
            "org/openucx/jucx/(?!examples/).*",
            "libjucx[^/]*\\.so",
            "com/sun/jna/.*"),
        List.of(
            "io.sluice.spark.SluiceShuffleManager",
            "io.sluice.spark.SluicePlugin",
            "io.sluice.spark.service.NodeServiceMain"),
        List.of(
            "libjucx.so",
            "com/sun/jna/linux-x86-64/libjnidispatch.so",
            "com/sun/jna/linux-aarch64/libjnidispatch.so"));
  }
}
