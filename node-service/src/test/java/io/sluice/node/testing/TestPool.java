package io.sluice.node.testing;

import io.sluice.node.service.ServiceContext;
import io.sluice.node.service.ServiceDirectories;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.store.StoreConfig;
import java.nio.file.Path;
import java.util.List;

/** Small pools: segments of 1 MiB, blocks of 16 KiB. */
public final class TestPool {
  /** Length of a segment. */
  public static final int SEGMENT_BYTES = 1 << 20;

  public static final int BLOCK_BYTES = 16 << 10;
  private static final StoreConfig.SettingNames NAMES =
      new StoreConfig.SettingNames("test.capacity", "test.overflow.dirs", "test.overflow.capacity");

  private TestPool() {}

  /** A service whose pool is {@link #memory}. */
  public static ServiceContext service(Path directory, int segments) {
    return ServiceContext.at(
            ServiceDirectories.in(directory, PoolVisibility.ANNOUNCED),
            (long) segments * SEGMENT_BYTES)
        .segments(SEGMENT_BYTES, BLOCK_BYTES)
        .settingNames("test.dir", NAMES)
        .medium("plain");
  }

  /** A service whose pool is {@link #withDisk}. */
  public static ServiceContext serviceWithDisk(Path directory, int segments) {
    return service(directory, segments).overflow(List.of(directory.resolve("disk")), 0, 0);
  }

  /** A pool of memory segments alone. */
  public static StoreConfig.Builder memory(Path directory, int segments) {
    return StoreConfig.builder(directory.resolve("pool"), (long) segments * SEGMENT_BYTES)
        .geometry(SEGMENT_BYTES, BLOCK_BYTES)
        .settingNames(NAMES);
  }

  /** The same with a disk tier as large as the disk. */
  public static StoreConfig.Builder withDisk(Path directory, int segments) {
    return memory(directory, segments).disk(List.of(directory.resolve("disk")), 0, 0);
  }
}
