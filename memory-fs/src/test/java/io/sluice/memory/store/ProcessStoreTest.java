package io.sluice.memory.store;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.conf.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProcessStoreTest {
  @TempDir private Path directory;

  @Test
  void hadoopsDirectoryMayBeAUri() throws Exception {
    Configuration conf = new Configuration(false);
    conf.set("hadoop.tmp.dir", directory.resolve("tmp").toUri().toString());
    conf.set("sluice.local.dir", directory.toString());
    conf.set("sluice.local.memory-mb", "16");
    ProcessStore.open(conf).close();
    assertTrue(Files.isDirectory(directory.resolve("tmp/sluice")));
    assertFalse(Files.exists(Path.of("file:")), "in the working directory");
  }
}
