package io.sluice.mapreduce.stage;

import io.sluice.mapreduce.stage.StageVolume.OpenVolumes;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.mapred.JobConf;

/**
 * Stages runs in files of the task's local directories, for nodes without a Sluice service. Reads
 * and writes show in Hadoop's file counters, and bytes are verified by checksums.
 *
 * <p>Thread contract and ownership: those of {@link PackedStage}; Hadoop deletes remaining files
 * with the task's directory.
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
   * @param key for encryption, or null
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

  /**
   * Runs in sequence in a local file.
   *
   * <p>It is read by {@link RandomAccessFile}, because an interrupt of the reading thread does not
   * close that. It has no buffer, because reads are long.
   *
   * <p>Thread contract, ownership and failure: those of {@link StageVolume}; closing it deletes the
   * file.
   */
  private static final class FileVolume implements StageVolume {
    private static final int WRITE_BUFFER_BYTES = 64 << 10;

    private final FileSystem files;
    private final Path path;
    private final OpenVolumes open;
    private final FileSystem.Statistics statistics;
    private final FSDataOutputStream out;
    private final Closeable reading = this::closeForNow;
    private final BlockChecksummer summer = new BlockChecksummer();
    private long runStartBytes;
    private long lengthBytes;
    private RandomAccessFile in; // guarded by the open volumes

    /** Creates the file at an absolute path. */
    FileVolume(FileSystem files, Path path, OpenVolumes open) throws IOException {
      this.files = files;
      this.path = path;
      this.open = open;
      this.statistics = statistics(files);
      this.out = files.create(path, true, WRITE_BUFFER_BYTES);
    }

    @SuppressWarnings("deprecation") // tasks take their counters from these
    private static FileSystem.Statistics statistics(FileSystem files) {
      return FileSystem.getStatistics(files.getUri().getScheme(), files.getClass());
    }

    @Override
    public void expect(long lengthBytes) {
      // A file needs no reservation.
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      out.write(bytes, offset, length);
      summer.update(bytes, offset, length);
      lengthBytes += length;
    }

    @Override
    public VolumeRun endRun() throws IOException {
      out.flush();
      VolumeRun run =
          new FileRun(this, runStartBytes, lengthBytes - runStartBytes, summer.finish());
      runStartBytes = lengthBytes;
      return run;
    }

    @Override
    public long lengthBytes() {
      return lengthBytes;
    }

    @Override
    public void endWriting() throws IOException {
      out.close();
    }

    private int read(long positionBytes, byte[] dst, int offset, int length) throws IOException {
      return open.read(
          reading,
          () -> {
            if (in == null) {
              in = new RandomAccessFile(path.toUri().getPath(), "r");
            }
            in.seek(positionBytes);
            int n = in.read(dst, offset, length);
            statistics.incrementBytesRead(Math.max(0, n));
            return n;
          });
    }

    private void closeForNow() throws IOException {
      if (in != null) {
        RandomAccessFile closing = in;
        in = null;
        closing.close();
      }
    }

    @Override
    public void close() throws IOException {
      try {
        open.forget(reading);
      } finally {
        try {
          out.close();
        } finally {
          files.delete(path, false);
        }
      }
    }

    private record FileRun(
        FileVolume volume, long startBytes, long lengthBytes, BlockChecksums checksums)
        implements VolumeRun {
      @Override
      public long memoryBytes() {
        return 0;
      }

      @Override
      public RunInput open() {
        return new FileInput(this);
      }
    }

    private static final class FileInput implements RunInput {
      private final FileRun run;
      private long readBytes;

      FileInput(FileRun run) {
        this.run = run;
      }

      @Override
      public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
        int wantedBytes = (int) Math.min(lengthBytes, remainingBytes());
        if (wantedBytes == 0) {
          return lengthBytes == 0 ? 0 : -1;
        }
        int n = run.volume().read(run.startBytes() + readBytes, dst, offset, wantedBytes);
        readBytes += Math.max(0, n);
        return n;
      }

      @Override
      public long remainingBytes() {
        return run.lengthBytes() - readBytes;
      }

      @Override
      public void close() {
        // The volume keeps its file open for other runs.
      }
    }
  }
}
