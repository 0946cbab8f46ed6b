package io.sluice.mapreduce.stage;

import io.sluice.mapreduce.testing.LocalStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** A pool that has nothing but its disk tier, which is written through a staging buffer. */
final class LeasedDiskStageTest extends LeasedStageTest {
  @Override
  LocalStore openStore() throws IOException {
    return LocalStore.onDisk(directory, directory.resolve("disk"));
  }

  @Override
  Path firstSegment() throws IOException {
    try (Stream<Path> files = Files.walk(directory.resolve("disk"))) {
      return files.filter(file -> file.toFile().length() >= 100_000).findFirst().orElseThrow();
    }
  }
}
