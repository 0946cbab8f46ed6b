package io.sluice.hadoop.stage;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockSummer;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.hadoop.fs.FSDataInputStream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;

/**
 * Stages runs in files of the task's local directories, for nodes without a Sluice service. Read
 * and written through Hadoop's local file system, so that the engine's own counters show it, and
 * verified like anything else that was on a medium.
 *
 * <p>Thread contract: {@link #create} from any thread. Ownership: files are deleted when their run
 * is closed, and with the task's directory in any case.
 */
public final class DiskStage implements StageArea {
  private static final int BUFFER_BYTES = 1 << 20;

  private final JobConf job;
  private final FileSystem files;
  private final LocalDirAllocator directories;
  private final String prefix;
  private final AtomicInteger number = new AtomicInteger();
  private final AtomicLong diskBytes = new AtomicLong();

  /**
   * Stages in files whose names begin with {@code prefix}.
   *
   * @param files the local file system, without its checksum files
   */
  public DiskStage(JobConf job, FileSystem files, LocalDirAllocator directories, String prefix) {
    this.job = job;
    this.files = files;
    this.directories = directories;
    this.prefix = prefix;
  }

  @Override
  public StagedRun create(String name) throws IOException {
    Path file =
        directories.getLocalPathForWrite(prefix + ".sluice-" + number.incrementAndGet(), job);
    return new FileRun(name, file, files.create(file, true, BUFFER_BYTES));
  }

  @Override
  public long memoryBytes() {
    return 0;
  }

  @Override
  public long diskBytes() {
    return diskBytes.get();
  }

  private final class FileRun implements StagedRun {
    private final String name;
    private final Path file;
    private final FSDataOutputStream out;
    private final BlockSummer summer = new BlockSummer();
    private BlockChecksums checksums;
    private long lengthBytes;

    FileRun(String name, Path file, FSDataOutputStream out) {
      this.name = name;
      this.file = file;
      this.out = out;
    }

    @Override
    public String name() {
      return name;
    }

    @Override
    public void expect(long lengthBytes) {
      // A file grows as it is written.
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      summer.update(bytes, offset, length);
      lengthBytes += length;
    }

    @Override
    public void finish() throws IOException {
      out.close();
      checksums = summer.finish();
      diskBytes.addAndGet(lengthBytes);
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    @Override
    public RunInput open() throws IOException {
      return new VerifiedRunInput(
          name, new FileInput(files.open(file, BUFFER_BYTES), this), lengthBytes, checksums);
    }

    @Override
    public void close() throws IOException {
      try {
        out.close();
      } finally {
        files.delete(file, false);
      }
    }
  }

  private static final class FileInput implements RunInput {
    private final FSDataInputStream in;
    private final StagedRun run;
    private long remainingBytes;

    FileInput(FSDataInputStream in, StagedRun run) {
      this.in = in;
      this.run = run;
      this.remainingBytes = run.lengthBytes();
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      if (remainingBytes == 0) {
        return -1;
      }
      int n = in.read(dst, offset, (int) Math.min(lengthBytes, remainingBytes));
      if (n < 0) {
        remainingBytes = 0;
        return n;
      }
      remainingBytes -= n;
      return n;
    }

    @Override
    public long remainingBytes() {
      return remainingBytes;
    }

    @Override
    public void close() throws IOException {
      try {
        in.close();
      } finally {
        run.close();
      }
    }
  }
}
