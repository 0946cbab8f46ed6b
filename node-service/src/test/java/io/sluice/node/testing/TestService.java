package io.sluice.node.testing;

import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.testing.TestPool;
import java.nio.file.Path;
import java.util.List;

/** Services whose pools are as small as those of {@link TestPool}. */
public final class TestService {
  private TestService() {}

  /** A service whose pool is {@link TestPool#memory}. */
  public static ServiceContext inMemory(Path directory, int segments) {
    return ServiceContext.at(
            ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED),
            (long) segments * TestPool.SEGMENT_BYTES)
        .segments(TestPool.SEGMENT_BYTES, TestPool.BLOCK_BYTES)
        .settingNames("test.dir", TestPool.NAMES)
        .medium("plain");
  }

  /** A service whose pool is {@link TestPool#withDisk}. */
  public static ServiceContext withDisk(Path directory, int segments) {
    return inMemory(directory, segments).overflow(List.of(directory.resolve("disk")), 0, 0);
  }
}
