package io.sluice.hadoop.stage;

import io.sluice.hadoop.testing.TestJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

final class DiskStageTest extends StageAreaContract {
  @TempDir Path directory;
  private StageArea area;

  @BeforeEach
  void open() throws IOException {
    JobConf job = TestJob.conf();
    job.set(MRConfig.LOCAL_DIR, directory.toString());
    area =
        new DiskStage(
            job,
            FileSystem.getLocal(job).getRaw(),
            new LocalDirAllocator(MRConfig.LOCAL_DIR),
            "reduce");
  }

  @Override
  StageArea area() {
    return area;
  }

  private List<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Override
  long heldBytes() throws IOException {
    long bytes = 0;
    for (Path file : files()) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  @Override
  void damage() throws IOException {
    Path file = files().get(0);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
  }
}
