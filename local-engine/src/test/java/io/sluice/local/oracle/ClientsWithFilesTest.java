package io.sluice.local.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Processes in one working directory whose jobs call their files by the same name. */
@Timeout(300)
@Tag("slow")
class ClientsWithFilesTest {
  @TempDir private Path directory;
  private Path working;

  @BeforeEach
  void make() throws IOException {
    working = Files.createDirectory(directory.resolve("working"));
  }

  private ForkedJvm start(String content) throws IOException {
    return ForkedJvm.start(
        directory.resolve("log-" + content),
        "cd " + working + " && ",
        "256m",
        ClientWithFile.class,
        directory.toString(),
        content);
  }

  private static void reads(ForkedJvm client, String content) throws Exception {
    client.process().getOutputStream().close();
    String said = client.succeeded();
    assertTrue(said.contains(ClientWithFile.READ + content + "\n"), said);
  }

  private List<Path> left() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("tmp"))) {
      return files.filter(file -> file.getFileName().toString().startsWith("process-")).toList();
    }
  }

  @Test
  void eachReadsItsOwn() throws Exception {
    try (ForkedJvm first = start("first")) {
      first.awaitSaid(ClientWithFile.BEGUN);
      try (ForkedJvm second = start("second")) {
        second.awaitSaid(ClientWithFile.WAITS);
        String waits = second.text();
        assertTrue(waits.contains("of process " + first.process().pid()), waits);
        assertFalse(waits.contains(ClientWithFile.BEGUN), waits);
        reads(first, "first");
        second.awaitSaid(ClientWithFile.BEGUN);
        reads(second, "second");
      }
    }
    assertFalse(Files.exists(working.resolve(ClientWithFile.NAME), LinkOption.NOFOLLOW_LINKS));
    assertEquals(List.of(), left());
  }

  /** Its link, its copies and its staging directory are there when the next one begins. */
  @Test
  void whatAKilledOneLeavesIsNotBelievedAndIsRemoved() throws Exception {
    try (ForkedJvm killed = start("killed")) {
      killed.awaitSaid(ClientWithFile.BEGUN);
      killed.process().destroyForcibly().waitFor();
    }
    assertEquals("killed", Files.readString(working.resolve(ClientWithFile.NAME)));
    assertFalse(left().isEmpty());
    try (ForkedJvm next = start("next")) {
      reads(next, "next");
    }
    assertFalse(Files.exists(working.resolve(ClientWithFile.NAME), LinkOption.NOFOLLOW_LINKS));
    assertEquals(List.of(), left());
  }
}
