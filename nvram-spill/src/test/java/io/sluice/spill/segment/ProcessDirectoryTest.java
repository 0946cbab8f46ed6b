package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessDirectoryTest {
  private static final String KIND = "sluice-test";

  @TempDir private Path base;

  @Test
  void isPrivateAndGoneWhenClosed() throws IOException {
    Path directory;
    try (ProcessDirectory home = ProcessDirectory.create(base, KIND, "app-1", "test.dir")) {
      directory = home.directory();
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(directory)));
      Files.writeString(Files.createDirectory(directory.resolve("pool")).resolve("segment"), "x");
    }
    assertFalse(Files.exists(directory));
    assertFalse(Files.exists(directory.resolveSibling("app-1.lock")));
  }

  @Test
  void removesWhatDeadProcessesLeftAndNothingElse() throws IOException {
    try (ProcessDirectory living = ProcessDirectory.create(base, KIND, "living", "test.dir")) {
      Path ours = living.directory().getParent();
      Files.createFile(ours.resolve("dead.lock"));
      Path segment = Files.createDirectories(ours.resolve("dead/pool")).resolve("segment");
      Files.writeString(segment, "x");
      try (ProcessDirectory next = ProcessDirectory.create(base, KIND, "next", "test.dir")) {
        assertFalse(Files.exists(ours.resolve("dead")));
        assertFalse(Files.exists(ours.resolve("dead.lock")));
        assertTrue(Files.exists(living.directory()));
        assertTrue(Files.exists(next.directory()));
      }
    }
  }

  /** Makes a home in another JVM, as the process of another application does; then removes it. */
  public static final class Neighbour {
    private Neighbour() {}

    /** Below the base that is named. */
    public static void main(String[] args) throws IOException {
      ProcessDirectory.create(Path.of(args[0]), KIND, "neighbour", "test.dir").close();
    }
  }

  /** A process may have several: an executor has one for shuffles and one for persisted blocks. */
  @Test
  void aNeighbourLeavesBothPoolsOfALivingProcess() throws Exception {
    try (ProcessDirectory shuffle = ProcessDirectory.create(base, KIND, "app-1", "test.dir");
        ProcessDirectory persisted =
            ProcessDirectory.create(base, KIND, "app-1-blocks", "test.dir")) {
      Process neighbour =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-cp",
                  System.getProperty("java.class.path"),
                  Neighbour.class.getName(),
                  base.toString())
              .inheritIO()
              .start();
      assertTrue(neighbour.waitFor(60, TimeUnit.SECONDS));
      assertEquals(0, neighbour.exitValue());
      assertTrue(Files.exists(shuffle.directory()), "the first home is alive");
      assertTrue(Files.exists(persisted.directory()), "the second home is alive");
    }
  }

  @Test
  void isMadeAnewIfSomebodyHasRemovedIt() throws IOException {
    ProcessDirectory home = ProcessDirectory.create(base, KIND, "app-1", "test.dir");
    assertFalse(home.restore());
    PrivateDirectory.delete(base);
    assertTrue(home.restore());
    assertTrue(Files.isDirectory(home.directory()));
    assertThrows(
        IOException.class,
        () -> ProcessDirectory.create(base, KIND, "app-1", "test.dir"),
        "it is locked again");
    home.close();
    assertFalse(Files.exists(home.directory()));
    ProcessDirectory.create(base, KIND, "app-1", "test.dir").close();
  }

  @Test
  void isNotSharedByTwo() throws IOException {
    try (ProcessDirectory living = ProcessDirectory.create(base, KIND, "app-1", "test.dir")) {
      IOException e =
          assertThrows(
              IOException.class, () -> ProcessDirectory.create(base, KIND, "app-1", "test.dir"));
      assertTrue(e.getMessage().contains("living process"), e.getMessage());
      assertTrue(Files.exists(living.directory()));
    }
  }

  @Test
  void followsNoLinkThatSomebodyPutThere() throws IOException {
    Path elsewhere = Files.createDirectory(base.resolve("elsewhere"));
    Files.createSymbolicLink(base.resolve(KIND + "-" + System.getProperty("user.name")), elsewhere);
    assertThrows(IOException.class, () -> ProcessDirectory.create(base, KIND, "app-1", "test.dir"));
  }
}
