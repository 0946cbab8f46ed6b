package io.sluice.hadoop.node;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD) // an open may hang for ever
class RecoveryStateTest {
  private static final FileTime MADE = FileTime.fromMillis(1_000);

  @TempDir Path temporary;
  private final Configuration conf = new Configuration(false);
  private Path pool;
  private Path lock;

  @BeforeEach
  void keepOnce() throws IOException {
    pool = Files.createDirectory(temporary.resolve("pool"));
    conf.set(YarnConfiguration.NM_RECOVERY_DIR, temporary.resolve("nm").toString());
    Path yarn = Files.createDirectories(temporary.resolve("nm/yarn-nm-state"));
    lock = Files.createFile(yarn.resolve("LOCK"));
    Files.setLastModifiedTime(lock, MADE);
    read().keep(pool, 17_562, false);
  }

  private RecoveryState read() throws IOException {
    return RecoveryState.read(conf, temporary.resolve("recovery"));
  }

  private Path mark() {
    return pool.resolve("recovered-by");
  }

  @Test
  void knowsWhatItHasKept() throws IOException {
    assertTrue(read().knowsPoolOf(pool));
    assertEquals(17_562, read().port());
    Files.delete(mark());
    assertTrue(read().knowsPoolOf(pool));
    Files.delete(pool);
    assertTrue(read().knowsPoolOf(pool), "the memory is lost, not what is known");
  }

  @Test
  void knowsNoPoolAfterTheLossOfYarnsState() throws IOException {
    Path another = Files.createFile(lock.resolveSibling("LOCK.new")); // another inode for sure
    Files.setLastModifiedTime(another, MADE);
    Files.delete(lock);
    Files.move(another, lock);
    assertFalse(read().knowsPoolOf(pool));
  }

  /** Its applications are known to nobody, though YARN's state may be that of the life before. */
  @Test
  void knowsNoPoolOfALifeWithoutRecovery() throws IOException {
    RecoveryState.keepNothing(pool);
    assertFalse(read().knowsPoolOf(pool));
  }

  /** The same disk may have another number after a reboot. */
  @Test
  void asksForNoNumberOfADevice() throws IOException {
    String kept = Files.readString(temporary.resolve("recovery/service.properties"));
    assertTrue(kept.contains("yarn-state=" + Files.getAttribute(lock, "unix:ino") + " "), kept);
  }

  /** Whoever waits for a writer of it waits for ever. */
  @Test
  void aFifoInPlaceOfTheMarkIsNoMark() throws Exception {
    Files.delete(mark());
    assertEquals(0, new ProcessBuilder("mkfifo", mark().toString()).start().waitFor());
    assertFalse(read().knowsPoolOf(pool));
  }

  @Test
  void aLinkInPlaceOfTheMarkIsNoMark() throws IOException {
    Path same = Files.copy(mark(), temporary.resolve("same"));
    Files.delete(mark());
    Files.createSymbolicLink(mark(), same);
    assertFalse(read().knowsPoolOf(pool));
    Files.delete(mark());
    Files.createSymbolicLink(mark(), Path.of("/dev/zero"));
    assertFalse(read().knowsPoolOf(pool));
  }

  @Test
  void aLongFileInPlaceOfTheMarkIsNoMark() throws IOException {
    Files.write(mark(), new byte[1 << 20]);
    assertFalse(read().knowsPoolOf(pool));
  }

  @Test
  void nothingIsBelievedWhereOthersCanWrite() throws IOException {
    Files.setPosixFilePermissions(pool, PosixFilePermissions.fromString("rwxrwxrwx"));
    assertFalse(read().knowsPoolOf(pool));
  }

  /** Nor of a place that somebody else could have made a link to. */
  @Test
  void nothingIsBelievedBehindALink() throws IOException {
    Path link = Files.createSymbolicLink(temporary.resolve("link"), pool);
    assertFalse(read().knowsPoolOf(link));
  }

  @Test
  void whatItWritesGoesThroughNoLink() throws IOException {
    Path another = Files.writeString(temporary.resolve("another"), "as it was");
    Files.createSymbolicLink(pool.resolve("recovered-by.new"), another);
    read().keep(pool, 17_562, true);
    assertEquals("as it was", Files.readString(another));
    assertTrue(read().knowsPoolOf(pool));
  }
}
