package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that is ended by {@code kill -9} in the middle of a job. */
@Timeout(300)
@Tag("slow")
class KilledClientTest {
  @TempDir private Path directory;

  private ForkedJvm start(String memoryMb, boolean waits) throws IOException {
    return ForkedJvm.start(
        directory.resolve("log-" + waits),
        "",
        "256m",
        KilledClient.class,
        directory.toString(),
        memoryMb,
        Boolean.toString(waits));
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> memory = Files.walk(KilledClient.memory(directory));
        Stream<Path> disk = Files.walk(KilledClient.disk(directory))) {
      return Stream.concat(memory, disk)
          .filter(Files::isRegularFile)
          .filter(file -> !file.endsWith(".guard")) // the lock of all processes
          .toList();
    }
  }

  /** With its maps' output in memory, or on disk. */
  @ParameterizedTest
  @ValueSource(strings = {"64", "0"})
  void whatItLeavesIsRemovedByTheNextOne(String memoryMb) throws Exception {
    Files.createDirectories(KilledClient.memory(directory));
    try (ForkedJvm killed = start(memoryMb, true)) {
      killed.awaitSaid(KilledClient.BEGUN);
      killed.process().destroyForcibly().waitFor();
    }
    assertNotEquals(List.of(), left(), "the job had written");
    try (ForkedJvm next = start(memoryMb, false)) {
      next.succeeded();
    }
    assertEquals(List.of(), left());
  }

  /** As {@code rm -r} does it, or logind when its user logs out. */
  @Test
  void aJobDoesNotNeedTheNamesOfWhatItHasInMemory() throws Exception {
    Path log = directory.resolve("log");
    try (ForkedJvm client =
        ForkedJvm.start(log, "", "256m", LostNamesClient.class, directory.toString())) {
      client.succeeded();
    }
  }
}
