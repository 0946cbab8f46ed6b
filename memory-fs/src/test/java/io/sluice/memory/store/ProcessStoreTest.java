package io.sluice.memory.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.store.Lease;
import io.sluice.spill.writer.ScratchRuns;
import io.sluice.spill.writer.ScratchRuns.ScratchRun;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStoreTest {
  private static final int MIB = 1 << 20;
  private static final int OTHER_USER = 12_345;

  @TempDir private Path directory;

  private Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toUri().toString());
    conf.set("sluice.local.dir", directory.toString());
    conf.set("sluice.local.memory-mb", "16");
    return conf;
  }

  /** Writes a run, lets something happen, and reads it. */
  private static void readsWhatItWrote(ProcessStore store, Runnable between) throws IOException {
    byte[] bytes = new byte[2 * MIB];
    TestSeed.random().nextBytes(bytes);
    try (Lease lease = store.openLease("application");
        ScratchRuns runs = new ScratchRuns(store.target(lease), MIB)) {
      runs.write(bytes, 0, bytes.length);
      ScratchRun run = runs.endRun();
      between.run();
      byte[] read = new byte[bytes.length];
      try (RunInput in = runs.open("run", run, MIB)) {
        int readBytes = 0;
        while (readBytes < read.length) {
          readBytes += in.read(read, readBytes, read.length - readBytes);
        }
      }
      assertArrayEquals(bytes, read);
      runs.closeFiles();
      store.mapper().map(run.ranges()).close();
    }
  }

  private void delete(Path place) {
    try {
      PrivateDirectory.delete(place);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private Path ours() throws IOException {
    return directory.resolve("sluice-local-" + Owner.nameOfThisProcess());
  }

  @Test
  void hasADiskAgainAfterSomebodyHasRemovedIt() throws Exception {
    try (ProcessStore store = ProcessStore.open(conf())) {
      PrivateDirectory.delete(directory.resolve("tmp"));
      store.restore();
      try (Lease lease = store.openLease("application")) {
        lease.lease(64 << 20);
        assertTrue(store.stats().disk().usedBytes() > 0, store.stats()::toString);
      }
    }
  }

  /** No other process has to write there, so nothing is kept free. */
  @Test
  void usesASmallDiskToItsEnd() throws Exception {
    Path small = Files.createDirectory(directory.resolve("tmp"));
    Process mount =
        new ProcessBuilder("mount", "-t", "tmpfs", "-o", "size=256m", "tmpfs", small.toString())
            .start();
    assumeTrue(mount.waitFor() == 0, "root alone mounts file systems");
    try (ProcessStore store = ProcessStore.open(conf());
        Lease lease = store.openLease("application")) {
      lease.lease(200 << 20);
      assertTrue(store.stats().disk().usedBytes() > 0, store.stats()::toString);
    } finally {
      assertEquals(0, new ProcessBuilder("umount", small.toString()).start().waitFor());
    }
  }

  @Test
  void whatIsInMemoryOutlivesItsNames() throws Exception {
    try (ProcessStore store = ProcessStore.open(conf())) {
      Path ours = ours();
      readsWhatItWrote(store, () -> delete(ours));
      readsWhatItWrote(store, store::restore);
      assertTrue(Files.isDirectory(ours()));
    }
  }

  /** There is nothing, or no directory, or another user's, or one that nobody can write to. */
  @Test
  void isOnDiskWhereThereIsNoMemory() throws Exception {
    Configuration conf = conf();
    Path file = Files.createFile(directory.resolve("file"));
    for (String place : new String[] {directory + "/missing", file.toString(), "/proc"}) {
      conf.set("sluice.local.dir", place);
      isOnDisk(conf);
    }
  }

  private static void isOnDisk(Configuration conf) throws IOException {
    try (ProcessStore store = ProcessStore.open(conf)) {
      readsWhatItWrote(store, () -> assertTrue(store.stats().disk().usedBytes() > 0));
      assertEquals(0, store.stats().memory().capacityBytes());
    }
  }

  @Test
  void isOnDiskWhereAnotherUserHasTheName() throws Exception {
    Files.createDirectory(ours());
    try {
      Files.setAttribute(ours(), "unix:uid", OTHER_USER);
    } catch (IOException e) {
      Assumptions.abort("only root gives a directory to another user: " + e);
    }
    isOnDisk(conf());
  }

  /** Anybody may put something there before us; it stays as it is. */
  @Test
  void isOnDiskWhereTheNameIsNoDirectory() throws Exception {
    Path elsewhere = Files.createDirectory(directory.resolve("elsewhere"));
    Files.createFile(ours());
    isOnDisk(conf());
    Files.delete(ours());
    for (Path target : new Path[] {elsewhere, directory.resolve("nowhere")}) {
      Files.createSymbolicLink(ours(), target);
      isOnDisk(conf());
      Files.delete(ours());
    }
    assertArrayEquals(new String[0], elsewhere.toFile().list());
    assertFalse(Files.exists(directory.resolve("nowhere")));
  }

  @Test
  void closesItsDirectoryToOthers() throws Exception {
    Files.createDirectory(ours());
    Files.setPosixFilePermissions(ours(), PosixFilePermissions.fromString("rwxrwxrwx"));
    try (ProcessStore store = ProcessStore.open(conf())) {
      readsWhatItWrote(store, () -> assertTrue(store.stats().memory().usedBytes() > 0));
      assertEquals(
          "rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(ours())));
    }
  }

  @Test
  void hadoopsDirectoryMayBeAUri() throws Exception {
    ProcessStore.open(conf()).close();
    assertTrue(Files.isDirectory(directory.resolve("tmp/sluice")));
    assertFalse(Files.exists(Path.of("file:")), "in the working directory");
  }
}
