package io.sluice.jars;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.node.testing.Bundled;
import io.sluice.node.testing.JarTests;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** The jar that Spark's applications bring, and that a node's own service is started with. */
final class SparkJarIT extends JarTests {
  private static final long LIMIT_S = 30;

  SparkJarIT() {
    super(
        "io/sluice/(spark|node|rdma|spill)/.*",
        Set.of(Bundled.JUCX, Bundled.JNA, Bundled.LIBFFI, Bundled.MOVED_PICOCLI),
        List.of(
            "io.sluice.spark.SluiceShuffleManager",
            "io.sluice.spark.SluicePlugin",
            "io.sluice.spark.service.NodeServiceMain"));
  }

  @Test
  void theNodesServiceSaysTheVersionOfTheJar() throws IOException, InterruptedException {
    Path slf4j =
        Path.of(Logger.class.getProtectionDomain().getCodeSource().getLocation().getPath());
    Process service =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                "-cp",
                System.getProperty("sluice.jar") + ":" + slf4j,
                "io.sluice.spark.service.NodeServiceMain",
                "--version")
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      String said = new String(service.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      assertTrue(service.waitFor(LIMIT_S, TimeUnit.SECONDS), "it does not end");
      assertEquals("Sluice " + System.getProperty("sluice.version"), said.strip());
    } finally {
      service.destroyForcibly();
    }
  }
}
