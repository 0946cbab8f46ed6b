package io.sluice.mapreduce.stage;

import io.sluice.spill.format.BlockChecksummer;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.RunInput;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import org.apache.hadoop.fs.FSDataOutputStream;
import org.apache.hadoop.fs.FileSystem;
import org.apache.hadoop.fs.Path;

/**
 * Runs one behind the other in a local file.
 *
 * <p>It is read by {@link RandomAccessFile}, which an interrupt of the reading thread does not
 * close, with no buffer of its own: whoever reads asks for much at a time.
 *
 * <p>Thread contract, ownership and failure as {@link StageVolume} says; closing it deletes the
 * file.
 */
final class FileVolume implements StageVolume {
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

  @SuppressWarnings("deprecation") // but it is these that tasks count
  private static FileSystem.Statistics statistics(FileSystem files) {
    return FileSystem.getStatistics(files.getUri().getScheme(), files.getClass());
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
  public Piece endRun() throws IOException {
    out.flush();
    Piece piece = new FilePiece(this, runStartBytes, lengthBytes - runStartBytes, summer.finish());
    runStartBytes = lengthBytes;
    return piece;
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

  private record FilePiece(
      FileVolume volume, long startBytes, long lengthBytes, BlockChecksums checksums)
      implements Piece {
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
    private final FilePiece piece;
    private long readBytes;

    FileInput(FilePiece piece) {
      this.piece = piece;
    }

    @Override
    public int read(byte[] dst, int offset, int lengthBytes) throws IOException {
      int wantedBytes = (int) Math.min(lengthBytes, remainingBytes());
      if (wantedBytes == 0) {
        return lengthBytes == 0 ? 0 : -1;
      }
      int n = piece.volume().read(piece.startBytes() + readBytes, dst, offset, wantedBytes);
      readBytes += Math.max(0, n);
      return n;
    }

    @Override
    public long remainingBytes() {
      return piece.lengthBytes() - readBytes;
    }

    @Override
    public void close() {
      // The volume keeps its file, for other runs of it.
    }
  }
}
