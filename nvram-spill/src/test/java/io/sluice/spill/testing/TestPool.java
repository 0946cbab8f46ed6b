package io.sluice.spill.testing;

import io.sluice.spill.store.StoreConfig;
import java.nio.file.Path;
import java.util.List;

/** Small pools: segments of 1 MiB, blocks of 16 KiB. */
public final class TestPool {
  /** Length of a segment. */
  public static final int SEGMENT_BYTES = 1 << 20;

  public static final int BLOCK_BYTES = 16 << 10;

  /** Names of the settings, for messages. */
  public static final StoreConfig.SettingNames NAMES =
      new StoreConfig.SettingNames("test.capacity", "test.overflow.dirs", "test.overflow.capacity");

  private TestPool() {}

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
