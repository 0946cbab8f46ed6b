package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which directories become private ones. */
class PrivateDirectoryTest {
  private static final String ADVICE = "take another";

  @TempDir private Path base;
  private Path directory;

  @BeforeEach
  void nameIt() {
    directory = base.resolve("parent/directory");
  }

  @Test
  void isMadeWithThoseAboveItForItsOwnerAlone() throws IOException {
    PrivateDirectory.prepare(directory, PoolVisibility.ANNOUNCED, ADVICE);
    assertEquals("rwx------", permissions(directory));
    assertEquals("rwx------", permissions(directory.getParent()));
  }

  @Test
  void oneThatWasOpenIsClosed() throws IOException {
    open(Files.createDirectories(directory));
    PrivateDirectory.create(directory, PoolVisibility.ANNOUNCED, ADVICE);
    assertEquals("rwxrwxrwx", permissions(directory));
    PrivateDirectory.prepare(directory, PoolVisibility.ANNOUNCED, ADVICE);
    assertEquals("rwx------", permissions(directory));
  }

  @Test
  void aFileAndALinkAreRefusedWithTheAdvice() throws IOException {
    Files.createDirectory(directory.getParent());
    Files.createFile(directory);
    assertRefused(PoolVisibility.PRIVATE, "is not a directory");
    Files.delete(directory);
    Files.createSymbolicLink(directory, base);
    assertRefused(
        PoolVisibility.PRIVATE, directory + " is a symbolic link to " + base + "; name what");
    Files.delete(directory);
    Files.createSymbolicLink(directory, base.resolve("nowhere"));
    assertRefused(PoolVisibility.PRIVATE, directory + " is a symbolic link to ");
  }

  @Test
  void oneThatOthersCanReplaceIsRefusedIfItIsAnnounced() throws IOException {
    open(Files.createDirectories(directory).getParent());
    assertRefused(PoolVisibility.ANNOUNCED, "any user can put another directory in the place of");
    PrivateDirectory.prepare(directory, PoolVisibility.PRIVATE, ADVICE);
  }

  @Test
  void oneOfAnotherUserIsRefusedAndStaysAsItIs() throws IOException {
    open(Files.createDirectories(directory));
    Assumptions.assumeTrue(TrustedPath.userId() == 0, "only root can give a directory away");
    Files.setAttribute(directory, "unix:uid", 12345);
    assertRefused(PoolVisibility.PRIVATE, "belongs to user id 12345");
    assertEquals("rwxrwxrwx", permissions(directory));
  }

  /** As where a cleaner of temporary directories is at it too. */
  @Test
  void twoThatRemoveItAtOnceBothFindItGone() throws Exception {
    for (int round = 0; round < 20; round++) {
      for (int i = 0; i < 200; i++) {
        Files.createFile(Files.createDirectories(directory.resolve("d" + i)).resolve("file"));
      }
      CompletableFuture<Void> other =
          CompletableFuture.runAsync(
              () -> {
                try {
                  PrivateDirectory.delete(directory);
                } catch (IOException e) {
                  throw new UncheckedIOException(e);
                }
              });
      PrivateDirectory.delete(directory);
      other.get(120, TimeUnit.SECONDS);
      assertTrue(Files.notExists(directory));
    }
  }

  private void assertRefused(PoolVisibility use, String why) {
    String message =
        assertThrows(IOException.class, () -> PrivateDirectory.prepare(directory, use, ADVICE))
            .getMessage();
    assertTrue(message.contains(why), message);
    assertTrue(message.endsWith(ADVICE), message);
  }

  private static void open(Path directory) throws IOException {
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwxrwxrwx"));
  }

  private static String permissions(Path directory) throws IOException {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(directory));
  }
}
