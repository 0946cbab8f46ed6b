package io.sluice.node.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.testing.ForkedJvm;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A NodeManager without a free descriptor, by the kernel's own limit. */
class NoDescriptorsTest {
  private static final List<String> FEW_FILES =
      List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh");

  @TempDir Path directory;

  @Test
  void theOutputsOfAServiceWithoutDescriptorsAreNotLost() {
    try (ForkedJvm jvm =
        new ForkedJvm(
            FEW_FILES,
            directory.resolve("log"),
            NoDescriptorsMain.class,
            directory.resolve("service").toString())) {
      assertEquals("held", jvm.awaitLine("before"));
      assertEquals("NOT_NOW", jvm.awaitLine("meanwhile"));
      assertEquals("held", jvm.awaitLine("afterwards"));
      assertEquals(0, jvm.end(), jvm::toString);
    }
  }
}
