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

  private static void neighbour(Path base) throws Exception {
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
  }

  /** A process may have several: an executor has one for shuffles and one for persisted blocks. */
  @Test
  void aNeighbourLeavesBothPoolsOfALivingProcess() throws Exception {
    try (ProcessDirectory shuffle = ProcessDirectory.create(base, KIND, "app-1", "test.dir");
        ProcessDirectory persisted =
            ProcessDirectory.create(base, KIND, "app-1-blocks", "test.dir")) {
      neighbour(base);
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
    Files.createSymbolicLink(base.resolve(KIND + "-" + Owner.nameOfThisProcess()), elsewhere);
    assertThrows(IOException.class, () -> ProcessDirectory.create(base, KIND, "app-1", "test.dir"));
  }

  /** Java's property is a question mark for a user without a name. */
  @Test
  void isNamedAfterItsOwner() throws IOException {
    String name = System.getProperty("user.name");
    System.setProperty("user.name", "?");
    try (ProcessDirectory home = ProcessDirectory.create(base, KIND, "app-1", "test.dir")) {
      Path ours = home.directory().getParent();
      assertEquals(KIND + "-" + Files.getOwner(ours).getName(), ours.getFileName().toString());
    } finally {
      System.setProperty("user.name", name);
    }
  }

  /** A job or a test that runs as somebody else sets that property; the pool stays where it is. */
  @Test
  void staysWhereItIsWhenUserNameChanges() throws Exception {
    String name = System.getProperty("user.name");
    ProcessDirectory home = ProcessDirectory.create(base, KIND, "app-1", "test.dir");
    Path directory = home.directory();
    Files.writeString(directory.resolve("segment"), "live");
    try {
      System.setProperty("user.name", "hive");
      assertEquals(directory, home.directory(), "it is where it was made");
      assertFalse(home.restore(), "nobody has removed it");
    } finally {
      System.setProperty("user.name", name);
    }
    neighbour(base);
    assertTrue(Files.exists(directory.resolve("segment")), "a neighbour has removed live data");
    home.close();
    assertFalse(Files.exists(directory));
  }

  /**
   * Its parent cannot be looked at for a moment; when it can again, the directory is still ours.
   */
  @Test
  void liveDataOutliveAMomentWithoutTheirParent() throws Exception {
    Path tmp = Files.createDirectory(base.resolve("tmp"));
    ProcessDirectory home = ProcessDirectory.create(tmp, KIND, "app-1", "test.dir");
    Files.writeString(home.directory().resolve("segment"), "live");
    Files.move(tmp, base.resolve("aside"));
    Files.createFile(tmp);
    assertFalse(home.restore(), "it is not known to be gone");
    Files.delete(tmp);
    Files.move(base.resolve("aside"), tmp);
    assertFalse(home.restore());
    neighbour(tmp);
    assertTrue(Files.exists(home.directory().resolve("segment")), "live data have been removed");
    home.close();
  }

  /** The same with a link that leads nowhere, which says ENOENT. */
  @Test
  void aLinkInThePlaceOfItsParentIsNotFollowed() throws Exception {
    Path tmp = Files.createDirectory(base.resolve("tmp"));
    ProcessDirectory home = ProcessDirectory.create(tmp, KIND, "app-1", "test.dir");
    Path ours = home.directory().getParent();
    PrivateDirectory.delete(ours);
    Path elsewhere = Files.createDirectory(base.resolve("elsewhere"));
    Files.createSymbolicLink(ours, elsewhere);
    assertThrows(IOException.class, home::restore);
    assertEquals(0, elsewhere.toFile().list().length);
    Files.delete(ours);
    assertTrue(home.restore(), "works again");
    home.close();
  }

  /** What lies above it was not ours alone: other users of it still get in. */
  @Test
  void leavesWhatIsAboveItOpenToOthers() throws Exception {
    Path tmp = base.resolve("tmp");
    Files.createDirectories(tmp.resolve("sluice")); // as ProcessStore.open does
    String before = PosixFilePermissions.toString(Files.getPosixFilePermissions(tmp));
    ProcessDirectory home =
        ProcessDirectory.create(tmp.resolve("sluice"), KIND, "app-1", "test.dir");
    PrivateDirectory.delete(tmp);
    assertTrue(home.restore());
    assertEquals(before, PosixFilePermissions.toString(Files.getPosixFilePermissions(tmp)));
    home.close();
  }

  @Test
  void aLinkInItsOwnPlaceIsNotTakenForIt() throws IOException {
    try (ProcessDirectory home = ProcessDirectory.create(base, KIND, "app-1", "test.dir")) {
      PrivateDirectory.delete(home.directory());
      Files.createSymbolicLink(home.directory(), Files.createDirectory(base.resolve("elsewhere")));
      assertThrows(IOException.class, home::restore);
      Files.delete(home.directory());
      assertTrue(home.restore());
    }
  }

  /** Nor when an attempt to make it anew has failed before, which leaves it without its lock. */
  @Test
  void aLinkIsNotTakenForItAfterAFailedAttempt() throws IOException {
    Path tmp = Files.createDirectory(base.resolve("tmp"));
    try (ProcessDirectory home = ProcessDirectory.create(tmp, KIND, "app-1", "test.dir")) {
      Path ours = home.directory().getParent();
      PrivateDirectory.delete(ours);
      Files.createSymbolicLink(ours, Files.createDirectory(base.resolve("elsewhere")));
      assertThrows(IOException.class, home::restore);
      Files.delete(ours);
      Files.createDirectory(ours, PrivateDirectory.OWNER_ONLY);
      Files.createSymbolicLink(home.directory(), base.resolve("elsewhere"));
      assertThrows(IOException.class, home::restore);
      Files.delete(home.directory());
      assertTrue(home.restore());
    }
  }

  @Test
  void isNotMadeAnewAfterItWasClosed() throws IOException {
    ProcessDirectory home = ProcessDirectory.create(base, KIND, "app-1", "test.dir");
    home.close();
    assertFalse(home.restore());
    assertFalse(Files.exists(home.directory()));
  }
}
