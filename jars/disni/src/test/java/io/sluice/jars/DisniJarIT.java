package io.sluice.jars;

import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.JarTests;
import java.util.List;
import java.util.Set;

/** The jar that is put beside an engine's: the transport and its library, and nothing of theirs. */
final class DisniJarIT extends JarTests {
  DisniJarIT() {
    super(
        "io/sluice/rdma/transport/disni/.*",
        Set.of(Bundled.DISNI),
        List.of("io.sluice.rdma.transport.disni.DisniProvider"));
  }
}
