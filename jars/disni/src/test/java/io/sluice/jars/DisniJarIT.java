package io.sluice.jars;

import io.sluice.node.testing.JarTests;
import java.util.List;

/** The jar that is put beside an engine's: the transport and its library, and nothing of theirs. */
final class DisniJarIT extends JarTests {
  DisniJarIT() {
    super(
        List.of("io/sluice/rdma/transport/disni/.*", "com/ibm/disni/.*"),
        List.of("io.sluice.rdma.transport.disni.DisniProvider"),
        List.of("com/ibm/disni/verbs/impl/NativeDispatcher.class"));
  }
}
