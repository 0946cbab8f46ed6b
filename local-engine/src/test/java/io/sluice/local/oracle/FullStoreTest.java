package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A store without memory or with little, and one whose disk is full: each in its own process. */
@Timeout(300)
class FullStoreTest {
  private static final long LIMIT_S = 200;

  @TempDir private Path directory;

  /** Runs {@link FullStore}, whose files may have so many blocks of the shell, or any. */
  private String run(String blocks, String memoryMb, boolean succeeds) throws Exception {
    Path log = directory.resolve("log");
    List<String> command =
        new ArrayList<>(List.of("bash", "-c", "ulimit -f " + blocks + " && exec \"$@\"", "-"));
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx512m"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(FullStore.class.getName());
    command.addAll(List.of(directory.toString(), memoryMb, Boolean.toString(succeeds)));
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
    try {
      assertTrue(process.waitFor(LIMIT_S, TimeUnit.SECONDS), () -> text(log));
      assertEquals(0, process.exitValue(), () -> text(log));
      return text(log);
    } finally {
      process.destroyForcibly();
    }
  }

  private static String text(Path log) {
    try {
      return Files.readString(log);
    } catch (IOException e) {
      throw new AssertionError(e);
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
