package io.sluice.memory.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.store.Lease;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStoreTest {
  @TempDir private Path directory;

  private Configuration conf() {
    Configuration conf = new Configuration(false);
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toUri().toString());
    conf.set("sluice.local.dir", directory.toString());
    conf.set("sluice.local.memory-mb", "16");
    return conf;
  }

  @Test
  void hasADiskAgainAfterSomebodyHasRemovedIt() throws Exception {
    try (ProcessStore store = ProcessStore.open(conf())) {
      PrivateDirectory.delete(directory.resolve("tmp"));
      store.restoreDisk();
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
  void hadoopsDirectoryMayBeAUri() throws Exception {
    ProcessStore.open(conf()).close();
    assertTrue(Files.isDirectory(directory.resolve("tmp/sluice")));
    assertFalse(Files.exists(Path.of("file:")), "in the working directory");
  }
}
