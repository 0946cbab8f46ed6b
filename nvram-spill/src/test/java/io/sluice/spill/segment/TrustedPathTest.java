package io.sluice.spill.segment;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whose a place is, who could put another there, and what a peer may name in it. */
class TrustedPathTest {
  private static final UUID POOL = UUID.fromString("01234567-89ab-cdef-0123-456789abcdef");

  private static final int ANOTHER_USER = 12345;
  private static final int STICKY = 01000;
  private static final int STICKY_FOR_ALL = 01777;

  @TempDir private Path base;

  private Path directory(String name, String permissions) throws IOException {
    Path directory = Files.createDirectories(base.resolve(name));
    return Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString(permissions));
  }

  private static Path giveAway(Path place) throws IOException {
    Assumptions.assumeTrue(TrustedPath.userId() == 0, "only root can give a directory away");
    return Files.setAttribute(place, "unix:uid", ANOTHER_USER);
  }

  private static void assertRefused(String why, Path place) {
    IOException e = assertThrows(IOException.class, () -> TrustedPath.require(place));
    assertTrue(e.getMessage().contains(why), e.getMessage());
  }

  @Test
  void aDirectoryOfOnesOwnIsTrusted() throws IOException {
    TrustedPath.require(directory("own", "rwx------"));
    TrustedPath.require(directory("readable", "rwxr-xr-x"));
  }

  @Test
  void oneThatOthersMayWriteToIsNot() throws IOException {
    assertRefused("written by other users", directory("group", "rwxrwx---"));
    assertRefused("written by other users", directory("all", "rwx---rwx"));
    TrustedPath.requireOwned(base.resolve("all"));
  }

  @Test
  void oneOfAnotherUserIsNot() throws IOException {
    assertRefused("belongs to user id 12345", giveAway(directory("another", "rwx------")));
  }

  @Test
  void aLinkIsNot() throws IOException {
    Path link = base.resolve("link");
    Files.createSymbolicLink(link, directory("own", "rwx------"));
    assertRefused("symbolic link", link);
  }

  @Test
  void oneThatAnybodyCanReplaceIsNot() throws IOException {
    directory("open", "rwxrwxrwx");
    assertRefused("any user can put another", directory("open/own", "rwx------"));
    assertRefused("any user can put another", directory("open/own/deeper", "rwx------"));
    Files.setAttribute(base.resolve("open"), "unix:mode", STICKY_FOR_ALL);
    TrustedPath.require(base.resolve("open/own"));
    giveAway(base.resolve("open/own"));
    assertRefused("user id 12345 can put another", base.resolve("open/own/deeper"));
  }

  /** Sticky or closed, it is its owner's: he may rename what lies in it. */
  @Test
  void oneBelowADirectoryOfAnotherUserIsNot() throws IOException {
    Path parent = directory("another", "rwxr-xr-x");
    directory("another/own/deeper", "rwx------");
    TrustedPath.require(base.resolve("another/own/deeper"));
    giveAway(parent);
    for (int mode : List.of(0755, STICKY_FOR_ALL)) {
      Files.setAttribute(parent, "unix:mode", mode);
      assertRefused("user id 12345 can put another", base.resolve("another/own"));
      assertRefused("user id 12345 can put another", base.resolve("another/own/deeper"));
    }
  }

  @Test
  void oneBelowADirectoryThatAnotherGroupMayWriteToIsNot() throws IOException {
    Path parent = directory("group", "rwxrwxr-x");
    Path own = directory("group/own", "rwx------");
    TrustedPath.require(own); // the group of this process
    Assumptions.assumeTrue(TrustedPath.userId() == 0, "only root can give a directory away");
    Files.setAttribute(parent, "unix:gid", ANOTHER_USER);
    assertRefused("any user of group 12345 can put another", own);
    Files.setAttribute(parent, "unix:mode", STICKY | 0775);
    TrustedPath.require(own);
    Files.setAttribute(parent, "unix:mode", 0755);
    TrustedPath.require(own);
  }

  @Test
  void aLinkOnTheWayThatAnybodyMadeIsNotFollowed() throws IOException {
    directory("open", "rwxrwxrwx");
    Files.setAttribute(base.resolve("open"), "unix:mode", STICKY_FOR_ALL);
    directory("real/own", "rwx------");
    Path link = base.resolve("open/link");
    Files.createSymbolicLink(link, base.resolve("real"));
    TrustedPath.require(link.resolve("own"));
    Assumptions.assumeTrue(TrustedPath.userId() == 0, "only root can give a link away");
    Files.setAttribute(link, "unix:uid", ANOTHER_USER, java.nio.file.LinkOption.NOFOLLOW_LINKS);
    assertRefused("any user can put another", link.resolve("own"));
  }

  @Test
  void aSegmentIsNamedByTheNumberOfItsPlaceItsIdAndItsIncarnation() throws IOException {
    Path pool = directory("pool", "rwx------");
    Path overflow = directory("overflow", "rwx------");
    PoolPaths own = PoolPaths.owned(POOL, Owner.ofThisProcess(), pool, List.of(overflow));
    SegmentInfo disk =
        new SegmentInfo(
            SegmentInfo.DISK_ID_BASE,
            Tier.DISK,
            overflow.resolve("segment-01234567-1073741824-0-" + Owner.ofThisProcess()),
            4096);
    assertEquals(1, own.numberOf(disk));
    assertEquals(0, own.numberOf(new SegmentInfo(7, 0, Tier.MEMORY, pool, 0, 4096, 4096)));
    PoolPaths announced = PoolPaths.announced(POOL, own.all());
    assertEquals(disk.path(), announced.path(1, SegmentInfo.DISK_ID_BASE, 0));
    assertEquals(
        pool.resolve("segment-01234567-7-3-" + Owner.ofThisProcess()), announced.path(0, 7, 3));
    assertThrows(IOException.class, () -> announced.path(2, 7, 0));
    assertThrows(
        IllegalArgumentException.class,
        () -> own.numberOf(new SegmentInfo(7, Tier.MEMORY, base.resolve("segment-7"), 4096)));
    Path device = Files.createFile(base.resolve("device"));
    assertEquals(device, PoolPaths.announced(POOL, List.of(device)).path(0, 7, 0));
  }

  @Test
  void placesThatAreAnnouncedMustBeOnesOwn() throws IOException {
    Path pool = directory("pool", "rwx------");
    Path bad = directory("bad", "rwxrwxrwx");
    PoolPaths announced = PoolPaths.announced(POOL, List.of(pool, bad));
    assertThrows(IOException.class, () -> announced.path(1, SegmentInfo.DISK_ID_BASE, 0));
    assertThrows(IOException.class, () -> PoolPaths.announced(POOL, List.of(bad)));
    assertThrows(IOException.class, () -> PoolPaths.announced(POOL, List.of()));
    assertThrows(IOException.class, () -> PoolPaths.announced(POOL, List.of(base.resolve("none"))));
  }

  @Test
  void aSegmentThatIsALinkIsNotOpened() throws IOException {
    Path file = Files.write(base.resolve("private"), new byte[4096]);
    Path link = Files.createSymbolicLink(base.resolve("segment-7"), file);
    for (int unitBytes : List.of(SegmentInfo.MAPPED_BY_JDK, 4096)) {
      SegmentInfo info = new SegmentInfo(7, 0, Tier.MEMORY, link, 0, 4096, unitBytes);
      assertThrows(IOException.class, () -> SegmentFile.open(info, false).close());
      assertThrows(IOException.class, () -> SegmentFile.open(info, true).close());
    }
  }
}
