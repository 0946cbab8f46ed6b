package io.sluice.workloads.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StepsTest {
  @TempDir private Path directory;

  @Test
  void onlyWhatAJobMayStillReadIsKept() throws IOException {
    Configuration conf = new Configuration();
    org.apache.hadoop.fs.Path output =
        new org.apache.hadoop.fs.Path(directory.resolve("output").toUri());
    FileSystem files = output.getFileSystem(conf);
    try (Steps steps = new Steps(conf, output)) {
      for (int step = 0; step < 4; step++) {
        files.mkdirs(steps.next());
      }
      assertEquals(List.of("2", "3"), names("output.steps"));
    }
    assertFalse(directory.resolve("output.steps").toFile().exists());
  }

  private List<String> names(String name) {
    return Stream.of(directory.resolve(name).toFile().list()).sorted().toList();
  }
}
