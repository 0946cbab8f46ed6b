package io.sluice.memory.store;

import io.sluice.memory.conf.MemorySettings;
import io.sluice.rdma.memory.Closer;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.PoolVisibility;
import io.sluice.spill.segment.PrivateDirectory;
import io.sluice.spill.segment.ProcessDirectory;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentOpener;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.store.StoreStats;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.NotDirectoryException;
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
 * what has no room there. It grows as it is needed and keeps what it has for the next job. Where no
 * memory can be had it is on disk alone, and says so.
 *
 * <p>What it has in memory is read through the mappings that it has itself. So it outlives its file
 * names, which whoever cleans up {@code /dev/shm} may remove: the user, or {@code systemd-logind}
 * when the user logs out.
 *
 * <p>Thread contract: safe from any thread. Ownership: {@link #of} keeps it until the JVM ends;
 * whoever calls {@link #open} closes it, after the leases and the runs that it has from it. What a
 * killed JVM leaves is removed by the next one. Failure: {@link IOException} that names the setting
 * to change.
 */
public final class ProcessStore implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessStore.class);
  private static final String KIND = "sluice-local";
  private static final String POOL = "pool";
  private static final int SEGMENT_BYTES = 16 << 20;
  private static final int MEMORY_SHARE = 4;
  private static final int FREE_SHARE = 2;

  /** After Hadoop's file systems are closed, which may have to read what is here. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

  private static ProcessStore ofProcess; // guarded by the class

  private final ProcessDirectory memory; // with no segments where there is no memory
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
            StoreConfig.builder(memory.directory().resolve(POOL), memoryBytes)
                .use(PoolVisibility.PRIVATE)
                .geometry(SEGMENT_BYTES, StoreConfig.DEFAULT_BLOCK_BYTES)
                .disk(List.of(disk.directory()), 0, 0)
                .medium(medium)
                .settingNames(
                    new StoreConfig.SettingNames(
                        MemorySettings.MEMORY_MB.name(), "hadoop.tmp.dir", "hadoop.tmp.dir"))
                .build());
    this.mapper =
        new SegmentMapper(this::openSegment, id -> store.segment(id).orElseThrow().info());
  }

  private SegmentFile openSegment(SegmentInfo segment, boolean writable) throws IOException {
    if (segment.tier() != Tier.MEMORY) {
      return SegmentOpener.BY_NAME.open(segment, writable);
    }
    SegmentHandle open = store.segment(segment.segmentId()).orElse(null);
    if (open == null || !open.info().equals(segment)) {
      throw new IOException(segment + " is gone");
    }
    return SegmentFile.inProcess(
        segment, open.part(new Range(segment.segmentId(), 0, segment.lengthBytes())));
  }

  /**
   * That of this process, which is opened now unless it was before. Its directories are those of
   * whoever was first, even if somebody has removed them since.
   */
  public static synchronized ProcessStore of(Configuration conf) throws IOException {
    if (ofProcess == null) {
      ProcessStore opened = open(conf);
      ShutdownHookManager.get().addShutdownHook(opened::endWithProcess, END_PRIORITY);
      ofProcess = opened;
    } else {
      ofProcess.restore();
    }
    return ofProcess;
  }

  /** Without one of them it has room in the other, and says what it lacks when that is full. */
  void restore() {
    restore(disk);
    restore(memory);
  }

  private void restore(ProcessDirectory directory) {
    try {
      if (directory.restore()) {
        if (directory == memory) {
          Files.createDirectory(directory.directory().resolve(POOL), PrivateDirectory.OWNER_ONLY);
        }
        LOG.info("Somebody has removed {}; it was made anew", directory.directory());
      }
    } catch (IOException e) {
      LOG.warn("Somebody has removed {}, and it cannot be made anew", directory.directory(), e);
    }
  }

  /** One of one's own. */
  public static ProcessStore open(Configuration conf) throws IOException {
    // It may be an URI, as everything of Hadoop's that is a path.
    String tmp = new org.apache.hadoop.fs.Path(conf.get("hadoop.tmp.dir")).toUri().getPath();
    Path diskBase = Path.of(tmp).resolve("sluice");
    String name = "process-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    ProcessDirectory disk = ProcessDirectory.create(diskBase, KIND, name, "hadoop.tmp.dir");
    try {
      return open(conf, disk, name);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, disk);
      throw e;
    }
  }

  private static ProcessStore open(Configuration conf, ProcessDirectory disk, String name)
      throws IOException {
    try {
      return openInMemory(conf, disk, name);
    } catch (IOException e) {
      LOG.warn(
          "Map outputs and files of sluice: go to disk, in {}: {} gives no memory, because {}",
          disk.directory(),
          MemorySettings.DIRECTORY.name(),
          e.toString());
    }
    Path base = disk.directory().getParent().getParent();
    ProcessDirectory pool = ProcessDirectory.create(base, KIND, name + "-pool", "hadoop.tmp.dir");
    try {
      return new ProcessStore(pool, disk, 0);
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, pool);
      throw e;
    }
  }

  private static ProcessStore openInMemory(Configuration conf, ProcessDirectory disk, String name)
      throws IOException {
    Path base = Path.of(MemorySettings.DIRECTORY.get(conf::getTrimmed));
    if (!Files.isDirectory(base)) { // what would be made in its place need not be memory
      throw new NotDirectoryException(base.toString());
    }
    ProcessDirectory memory =
        ProcessDirectory.create(base, KIND, name, MemorySettings.DIRECTORY.name());
    try {
      long memoryBytes = memoryBytes(conf, base);
      ProcessStore opened = new ProcessStore(memory, disk, memoryBytes);
      LOG.info(
          "What this process keeps takes up to {} MiB in {}, and then room in {}",
          memoryBytes >> 20,
          memory.directory(),
          disk.directory());
      return opened;
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, memory);
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
        extent -> store.segment(extent.segment().segmentId()).orElseThrow().part(extent.range()),
        this::openSegment,
        Extent.MAX_LENGTH_BYTES);
  }

  /**
   * Leaves the mappings to the process's end: its threads go on meanwhile, and whoever touches what
   * is not mapped any more ends it with a crash.
   */
  private void endWithProcess() {
    store.quiesce();
    try {
      Closer.all(disk, memory);
    } catch (IOException | RuntimeException e) {
      LOG.warn("Something of {} is left; the next process removes it", disk.directory(), e);
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
