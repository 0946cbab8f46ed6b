package io.sluice.mapreduce.stage;

import io.sluice.spill.cipher.OutputKey;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;

/**
 * Stages runs in files of the task's local directories, for nodes without a Sluice service. What is
 * written and read shows in the engine's own counters, and is verified like anything else that was
 * on a medium.
 *
 * <p>Thread contract and ownership as {@link PackedStage} says; files are deleted with the task's
 * directory in any case.
 */
public final class DiskStage extends PackedStage {
  private static final int MAX_OPEN_FILES = 32;

  private final JobConf job;
  private final FileSystem files;
  private final LocalDirAllocator directories;
  private final String prefix;
  private final AtomicInteger number = new AtomicInteger();
  private final OpenVolumes open = new OpenVolumes(MAX_OPEN_FILES);

  /**
   * Stages in files whose names begin with {@code prefix}.
   *
   * @param files the local file system, without its checksum files
   * @param key to encrypt with, or null
   */
  public DiskStage(
      JobConf job, FileSystem files, LocalDirAllocator directories, String prefix, OutputKey key) {
    super(key);
    this.job = job;
    this.files = files;
    this.directories = directories;
    this.prefix = prefix;
  }

  @Override
  StageVolume openVolume(long lengthBytes) throws IOException {
    String name = prefix + ".sluice-" + number.incrementAndGet();
    Path file =
        lengthBytes == 0
            ? directories.getLocalPathForWrite(name, job)
            : directories.getLocalPathForWrite(name, lengthBytes, job);
    return new FileVolume(files, files.makeQualified(file), open);
  }

  @Override
  StageVolume openDiskVolume(long lengthBytes) throws IOException {
    return openVolume(lengthBytes);
  }

  @Override
  long heldBytes() {
    return 0;
  }
}
