package io.sluice.mapreduce.stage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.merge.RunInput;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.Stream;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.LocalDirAllocator;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.fs.RawLocalFileSystem;
import org.apache.hadoop.mapred.JobConf;
import org.apache.hadoop.mapreduce.MRConfig;
import org.apache.hadoop.util.Progressable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DiskStageTest extends StageAreaContract {
  @TempDir java.nio.file.Path directory;
  private StageArea area;
  private long roomBytes = Long.MAX_VALUE;

  @BeforeEach
  void open() throws IOException {
    JobConf job = new JobConf();
    job.set(MRConfig.LOCAL_DIR, directory.toString());
    LimitedFiles files = new LimitedFiles();
    files.initialize(URI.create("file:///"), job);
    area = new DiskStage(job, files, new LocalDirAllocator(MRConfig.LOCAL_DIR), "reduce", null);
  }

  /** A local file system that is full at some time. */
  private final class LimitedFiles extends RawLocalFileSystem {
    @Override
    public FSDataOutputStream create(
        Path path,
        boolean overwrite,
        int bufferSize,
        short replication,
        long blockSize,
        Progressable progress)
        throws IOException {
      FSDataOutputStream out =
          super.create(path, overwrite, bufferSize, replication, blockSize, progress);
      OutputStream limited =
          new FilterOutputStream(out) {
            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
              roomBytes -= length;
              if (roomBytes < 0) {
                throw new IOException("No space left on device");
              }
              out.write(bytes, offset, length);
            }
          };
      return new FSDataOutputStream(limited, null);
    }
  }

  @Override
  void limit(long lengthBytes) {
    roomBytes = lengthBytes;
  }

  @Override
  StageArea area() {
    return area;
  }

  private List<java.nio.file.Path> files() throws IOException {
    try (Stream<java.nio.file.Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).toList();
    }
  }

  @Override
  long heldBytes() throws IOException {
    long bytes = 0;
    for (java.nio.file.Path file : files()) {
      bytes += Files.size(file);
    }
    return bytes;
  }

  @Override
  void damage() throws IOException {
    java.nio.file.Path file = files().get(0);
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 1;
    Files.write(file, bytes);
  }

  @Test
  void anInterruptClosesNobodysFile() throws IOException {
    RunInput interrupted = staged(1, 300_000).open();
    RunInput other = staged(2, 300_000).open();
    Thread.currentThread().interrupt();
    assertEquals(1000, interrupted.read(new byte[1000], 0, 1000));
    assertTrue(Thread.interrupted());
    assertArrayEquals(numbered(2, 300_000), readAll(other));
    interrupted.close();
    other.close();
    assertEquals(0, heldBytes());
  }
}
