package io.sluice.memory.store;

import io.sluice.memory.conf.MemorySettings;
import io.sluice.rdma.memory.Closing;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.PlaceUse;
import io.sluice.spill.segment.ProcessDirectory;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentOpener;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalInt;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.util.ShutdownHookManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where all jobs and files of this process put their bytes: memory, and a directory on disk for
 * what has no room there. It grows as it is needed and keeps what it has for the next job.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link #of} keeps it until the JVM ends;
 * whoever calls {@link #open} closes it, after the leases and the runs that it has from it. What a
 * killed JVM leaves is removed by the next one. Failure: {@link IOException} that names the setting
 * to change.
 */
public final class ProcessStore implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessStore.class);
  private static final String KIND = "sluice-local";
  private static final int SEGMENT_BYTES = 16 << 20;
  private static final int MEMORY_SHARE = 4;
  private static final int FREE_SHARE = 2;

  /** After Hadoop's file systems are closed, which may have to read what is here. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

  private static ProcessStore ofProcess; // guarded by the class

  private final ProcessDirectory memory;
  private final ProcessDirectory disk;
  private final SpillStore store;
  private final Medium medium = new PlainMedium();
  private final SegmentMapper mapper;

  private ProcessStore(ProcessDirectory memory, ProcessDirectory disk, long memoryBytes)
      throws IOException {
    this.memory = memory;
    this.disk = disk;
    this.store =
        SpillStore.open(
            StoreConfig.builder(memory.directory().resolve("pool"), memoryBytes)
                .use(PlaceUse.PRIVATE)
                .geometry(SEGMENT_BYTES, StoreConfig.DEFAULT_BLOCK_BYTES)
                .disk(List.of(disk.directory()), 0, 0)
                .medium(medium)
                .settingNames(
                    new StoreConfig.SettingNames(
                        MemorySettings.MEMORY_MB.name(), "hadoop.tmp.dir", "hadoop.tmp.dir"))
                .build());
    this.mapper =
        new SegmentMapper(SegmentOpener.BY_NAME, id -> store.segment(id).orElseThrow().info());
  }

  /**
   * That of this process, which is opened now unless it was before. Its directory on disk is that
   * of whoever was first, even if he has removed it since.
   */
  public static synchronized ProcessStore of(Configuration conf) throws IOException {
    if (ofProcess == null) {
      ProcessStore opened = open(conf);
      ShutdownHookManager.get().addShutdownHook(opened::endWithProcess, END_PRIORITY);
      ofProcess = opened;
    } else {
      ofProcess.restoreDisk();
    }
    return ofProcess;
  }

  /** Without one it has room in memory, and says what it lacks when that is full. */
  void restoreDisk() {
    try {
      if (disk.restore()) {
        LOG.info("Somebody has removed {}; it was made anew", disk.directory());
      }
    } catch (IOException e) {
      LOG.warn("Somebody has removed {}, and it cannot be made anew", disk.directory(), e);
    }
  }

  /** One of one's own. */
  public static ProcessStore open(Configuration conf) throws IOException {
    Path base = Path.of(MemorySettings.DIRECTORY.get(conf::getTrimmed));
    // It may be an URI, as everything of Hadoop's that is a path.
    String tmp = new org.apache.hadoop.fs.Path(conf.get("hadoop.tmp.dir")).toUri().getPath();
    Path diskBase = Files.createDirectories(Path.of(tmp).resolve("sluice"));
    String name = "process-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    ProcessDirectory memory =
        ProcessDirectory.create(base, KIND, name, MemorySettings.DIRECTORY.name());
    try {
      return open(conf, base, memory, diskBase, name);
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, memory);
      throw e;
    }
  }

  private static ProcessStore open(
      Configuration conf, Path base, ProcessDirectory memory, Path diskBase, String name)
      throws IOException {
    long memoryBytes = memoryBytes(conf, base);
    ProcessDirectory disk = ProcessDirectory.create(diskBase, KIND, name, "hadoop.tmp.dir");
    try {
      ProcessStore opened = new ProcessStore(memory, disk, memoryBytes);
      LOG.info(
          "What this process keeps takes up to {} MiB in {}, and then room in {}",
          memoryBytes >> 20,
          memory.directory(),
          disk.directory());
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      Closing.after(e, disk);
      throw e;
    }
  }

  private static long memoryBytes(Configuration conf, Path base) throws IOException {
    OptionalInt configuredMb = MemorySettings.MEMORY_MB.get(conf::getTrimmed);
    if (configuredMb.isPresent()) {
      return (long) configuredMb.getAsInt() << 20;
    }
    var machine =
        (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    return Math.min(
        machine.getTotalMemorySize() / MEMORY_SHARE,
        Files.getFileStore(base).getUsableSpace() / FREE_SHARE);
  }

  /** What it is made of. */
  public SpillStore store() {
    return store;
  }

  /** How full it is. */
  public StoreStats stats() {
    return store.stats();
  }

  /** Maps ranges of it, wherever they lie. */
  public SegmentMapper mapper() {
    return mapper;
  }

  /** The caller closes it. */
  public Lease openLease(String applicationId) throws IOException {
    return store.openLease(applicationId);
  }

  /** A target that writes through the mappings that the store has already. */
  public WriteTarget target(ExtentSource source) {
    return new WriteTarget(
        source,
        medium,
        extent -> store.segment(extent.segment().segmentId()).orElseThrow().part(extent.range()));
  }

  /**
   * Leaves the mappings to the process's end: its threads go on meanwhile, and whoever touches what
   * is not mapped any more ends it with a crash.
   */
  private void endWithProcess() {
    store.quiesce();
    try {
      Closing.all(disk, memory);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Something is left in {}; the next process removes it", memory.directory(), e);
    }
  }

  @Override
  public void close() throws IOException {
    try (memory;
        disk;
        store) {
      mapper.close();
    }
  }
}
