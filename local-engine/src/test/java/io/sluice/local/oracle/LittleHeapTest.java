package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** User code that takes the whole heap, in a process of its own. */
@Timeout(300)
class LittleHeapTest {
  @TempDir private Path directory;

  @Test
  void whoEatsTheHeapFailsAndTheNextJobDoesNot() throws Exception {
    try (ForkedJvm jvm =
        ForkedJvm.start(
            directory.resolve("log"), "", "128m", LittleHeap.class, directory.toString())) {
      String log = jvm.succeeded();
      for (String exchange : Oracle.EXCHANGES) {
        assertTrue(
            log.lines().anyMatch(line -> line.startsWith(exchange + ": Task failed task_")), log);
      }
    }
  }
}
