package io.sluice.it.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.bench.model.ShuffleLimits;
import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class ModelCommandTest {
  private static final int BAD_USAGE = 2;

  @ParameterizedTest
  @ValueSource(strings = {"8m,16m", "8m,16m,8m", "8m,many,16m"})
  void sizesThatCannotBeFittedToAndCheckedByAreRefusedBeforeAnythingRuns(String sizes) {
    StringWriter said = new StringWriter();
    int status =
        new CommandLine(new ModelCommand()).setErr(new PrintWriter(said)).execute("--sizes", sizes);
    assertEquals(BAD_USAGE, status, said.toString());
    assertTrue(said.toString().contains("--sizes"), said.toString());
  }

  /** As docs/settings.md and docs/spark-settings.md have them. */
  @Test
  void limitsAreThoseOfTheSettings() {
    ShuffleLimits limits = ModelCommand.limits();
    assertEquals(2048, limits.connections());
    assertEquals("sluice.service.max-connections", limits.connectionsName());
    assertEquals(2048, limits.executorConnections());
    assertEquals("spark.sluice.server.maxConnections", limits.executorConnectionsName());
    assertEquals(1L << 30, limits.nodeBytes());
    assertEquals("sluice.node.memory-mb", limits.nodeName());
    assertEquals(64L << 20, limits.reduceBytes());
    assertEquals("sluice.reduce.buffer-mb", limits.reduceName());
    assertEquals(20, limits.mapsOfQuestion());
    assertEquals(256, limits.windows().applyAsInt(40)); // 160 would be 0.4 MiB: 0.25
    assertEquals(1024, limits.windows().applyAsInt(400_000));
  }
}
