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
import io.sluice.spill.segment.SegmentFile.SegmentOpener;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
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
 * The store for all jobs and files of this process: memory, and a directory on disk for bytes that
 * have no room in memory. It grows as needed, and keeps its memory for the next job. If it can get
 * no memory it uses disk only, and logs that.
 *
 * <p>Memory is read through the store's own mappings. So the store works on after its files in
 * {@code /dev/shm} were removed by the user, or by {@code systemd-logind} when the user logs out.
 *
 * <p>Thread contract: safe from any thread. Ownership: the store of {@link #of} lives until the JVM
 * ends; the caller of {@link #open} closes that store, after its leases and runs. The next JVM
 * removes what a killed JVM left. Failure: {@link IOException} that names the setting to change.
 */
public final class ProcessStore implements Closeable {
  private static final Logger LOG = LoggerFactory.getLogger(ProcessStore.class);
  private static final String KIND = "sluice-local";
  private static final String POOL = "pool";
  private static final int SEGMENT_BYTES = 16 << 20;
  private static final int MEMORY_SHARE = 4;
  private static final int FREE_SHARE = 2;

  /** Runs after Hadoop's file systems are closed, because they may still read from the store. */
  private static final int END_PRIORITY = FileSystem.SHUTDOWN_HOOK_PRIORITY - 5;

  private static ProcessStore ofProcess; // guarded by the class

  private final ProcessDirectory memory; // has no segments if there is no memory
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
      throw new IOException(segment + " no longer exists");
    }
    return SegmentFile.inProcess(
        segment, open.part(new Range(segment.segmentId(), 0, segment.lengthBytes())));
  }

  /**
   * The store of this process; the first call opens it, and its settings count. If its directories
   * were removed, they are made again.
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

  /** Makes removed directories again. If one cannot be made, the other still has room. */
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
        LOG.info("{} was removed by another program; it was made again", directory.directory());
      }
    } catch (IOException e) {
      LOG.warn(
          "{} was removed by another program, and cannot be made again", directory.directory(), e);
    }
  }

  /** Opens a store of the caller's own. */
  public static ProcessStore open(Configuration conf) throws IOException {
    // The setting may be a URI, like each path in Hadoop.
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
          "Map outputs and files of sluice: go to disk, into {}, because the"
              + " directory of {} cannot be used: {}",
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
    if (!Files.isDirectory(base)) { // a directory made here might not be in memory
      throw new NotDirectoryException(base.toString());
    }
    ProcessDirectory memory =
        ProcessDirectory.create(base, KIND, name, MemorySettings.DIRECTORY.name());
    try {
      long memoryBytes = memoryBytes(conf, base);
      ProcessStore opened = new ProcessStore(memory, disk, memoryBytes);
      LOG.info(
          "Map outputs and files of sluice: take up to {} MiB in {}, then disk space in {}",
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

  /** The store itself. */
  public SpillStore store() {
    return store;
  }

  /** How full the store is. */
  public StoreStats stats() {
    return store.stats();
  }

  /** Maps ranges of the store, in memory or on disk. */
  public SegmentMapper mapper() {
    return mapper;
  }

  /** Opens a lease, which the caller closes. */
  public Lease openLease(String applicationId) throws IOException {
    return store.openLease(applicationId);
  }

  /** A target that writes through the store's own mappings. */
  public WriteTarget target(ExtentSource source) {
    return new WriteTarget(
        source,
        medium,
        extent -> store.segment(extent.segment().segmentId()).orElseThrow().part(extent.range()),
        this::openSegment,
        Extent.MAX_LENGTH_BYTES);
  }

  /**
   * Removes the directories and keeps the mappings: other threads still run, and an access to
   * unmapped memory crashes the JVM.
   */
  private void endWithProcess() {
    store.quiesce();
    try {
      Closer.all(disk, memory);
    } catch (IOException | RuntimeException e) {
      LOG.warn("{} could not be removed; the next process removes it", disk.directory(), e);
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
