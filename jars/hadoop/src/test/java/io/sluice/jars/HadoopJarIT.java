package io.sluice.jars;

import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.JarTests;
import java.util.List;
import java.util.Set;

/** The jar that is copied to the nodes of a Hadoop cluster. */
final class HadoopJarIT extends JarTests {
  HadoopJarIT() {
    super(
        "io/sluice/(hadoop|local|mapreduce|memory|node|rdma|spill)/.*",
        Set.of(Bundled.JUCX, Bundled.JNA, Bundled.LIBFFI),
        List.of(
            "io.sluice.hadoop.collect.SluiceMapOutputCollector",
            "io.sluice.hadoop.fs.SluiceFileSystem",
            "io.sluice.hadoop.fs.SluiceFs",
            "io.sluice.hadoop.shuffle.SluiceShuffleConsumer",
            "io.sluice.hadoop.service.SluiceShuffleService"));
  }
}
