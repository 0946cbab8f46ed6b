package io.sluice.jars;

import io.sluice.node.testing.JarTests;
import java.util.List;

/** The jar that is copied to the nodes of a Hadoop cluster. */
final class HadoopJarIT extends JarTests {
  HadoopJarIT() {
    super(
        List.of(
            "io/sluice/(hadoop|node|rdma|spill)/.*",
            "org/openucx/jucx/(?!examples/).*",
            "libjucx[^/]*\\.so",
            "com/sun/jna/.*"),
        List.of(
            "io.sluice.hadoop.collect.SluiceMapOutputCollector",
            "io.sluice.hadoop.shuffle.SluiceShuffleConsumer",
            "io.sluice.hadoop.service.SluiceShuffleService"),
        List.of(
            "libjucx.so",
            "com/sun/jna/linux-x86-64/libjnidispatch.so",
            "com/sun/jna/linux-aarch64/libjnidispatch.so"));
  }
}
