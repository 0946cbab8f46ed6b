package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store without memory or with little, and one whose disk is full: each in its own process. */
@Timeout(300)
@Tag("slow")
class FullStoreTest {
  @TempDir private Path directory;

  /** Runs {@link FullStore}, whose files may have so many blocks of the shell, or any. */
  private String run(String blocks, String memoryMb, boolean succeeds) throws Exception {
    try (ForkedJvm jvm =
        ForkedJvm.start(
            directory.resolve("log"),
            "ulimit -f " + blocks + " && ",
            "512m",
            FullStore.class,
            directory.toString(),
            memoryMb,
            Boolean.toString(succeeds))) {
      return jvm.succeeded();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "16"})
  void whatHasNoRoomInMemoryGoesToDisk(String memoryMb) throws Exception {
    run("unlimited", memoryMb, true);
  }

  /** As a full disk, by the limit of a file's length. */
  @Test
  void aJobThatHasNoRoomAnywhereFailsWithTheReason() throws Exception {
    String log = run("2048", "0", false);
    for (String exchange : Oracle.EXCHANGES) {
      assertTrue(log.contains(exchange + ": Task failed"), log);
    }
  }
}
