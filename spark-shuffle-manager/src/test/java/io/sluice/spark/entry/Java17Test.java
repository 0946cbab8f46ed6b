package io.sluice.spark.entry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.testing.ClassFiles;
import io.sluice.spark.SluiceHistoryPlugin;
import io.sluice.spark.SluicePlugin;
import io.sluice.spark.SluiceShuffleManager;
import io.sluice.spark.service.SluiceDataIO;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceLoader;
import org.apache.spark.status.AppHistoryServerPlugin;
import org.junit.jupiter.api.Test;

class Java17Test {
  /** Made by the tests. */
  static final class Made {
    private final String argument;

    private Made(String argument) {
      if (argument.isEmpty()) {
        throw new IllegalArgumentException("nothing to make it of");
      }
      this.argument = argument;
    }
  }

  private static Optional<Made> made(String argument) {
    return Java17.make(Made.class, Made.class.getName(), argument);
  }

  @Test
  void makesWhatThisJvmLoadsAndThrowsWhatItsConstructorThrows() {
    assertEquals("of this", made("of this").orElseThrow().argument);
    Exception e = assertThrows(IllegalArgumentException.class, () -> made(""));
    assertEquals("nothing to make it of", e.getMessage());
  }

  @Test
  void aClassThatIsMissingIsNotTakenForOneThatIsTooNew() {
    assertThrows(
        IllegalStateException.class, () -> Java17.make(Made.class, "io.sluice.spark.NoClass"));
  }

  @Test
  void makesNothingOfAClassThatIsTooNew() throws ReflectiveOperationException {
    try (OldJava old = new OldJava()) {
      Object made =
          old.loadClass(Java17.class.getName())
              .getMethod("make", Class.class, String.class, Object[].class)
              .invoke(null, Object.class, "io.sluice.spark.PluginParts", new Object[0]);
      assertEquals(Optional.empty(), made);
    }
  }

  /** And every class of ours that they link to. */
  @Test
  void whatSparkLoadsByNameIsForJava8() throws IOException {
    Map<String, Integer> versions =
        ClassFiles.versions(
            List.of(
                SluiceShuffleManager.class.getName(),
                SluicePlugin.class.getName(),
                SluiceDataIO.class.getName(),
                SluiceHistoryPlugin.class.getName()));
    assertTrue(versions.containsKey("io/sluice/spark/StockShuffleManager"), versions.toString());
    assertTrue(versions.containsKey("io/sluice/spark/report/ExecutorReport"), versions.toString());
    versions.values().removeIf(found -> found <= ClassFiles.JAVA_8);
    assertEquals(Map.of(), versions);
  }

  @Test
  void aHistoryServerFindsItsPlugin() {
    assertTrue(
        ServiceLoader.load(AppHistoryServerPlugin.class).stream()
            .anyMatch(each -> each.type() == SluiceHistoryPlugin.class));
  }
}
