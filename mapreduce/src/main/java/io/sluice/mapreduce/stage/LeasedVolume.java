package io.sluice.mapreduce.stage;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.writer.ScratchRun;
import io.sluice.spill.writer.ScratchRuns;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;

/**
 * Runs one behind the other in leased extents.
 *
 * <p>Thread contract, ownership and failure as {@link StageVolume} says; closing it gives the
 * extents back.
 */
final class LeasedVolume implements StageVolume {
  /** The first extents; the next ones are as long as what is there. */
  private static final long LEASE_BYTES = 256 << 10;

  private final ScratchRuns runs;
  private final OpenVolumes open;
  private final Closeable reading;
  private final int windowBytes;

  /**
   * Leases nothing yet.
   *
   * @param windowBytes mapped at a time of each run that is read
   */
  LeasedVolume(WriteTarget target, OpenVolumes open, int windowBytes) {
    this.windowBytes = windowBytes;
    this.runs = new ScratchRuns(target, LEASE_BYTES);
    this.open = open;
    this.reading = runs::closeFiles;
  }

  @Override
  public void expect(long lengthBytes) throws IOException {
    if (lengthBytes > LEASE_BYTES) {
      runs.reserve(lengthBytes);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    runs.write(bytes, offset, length);
  }

  @Override
  public Piece endRun() throws IOException {
    return new LeasedPiece(this, runs.endRun());
  }

  @Override
  public long lengthBytes() {
    return runs.lengthBytes();
  }

  @Override
  public void endWriting() throws IOException {
    runs.endWriting();
  }

  @Override
  public void close() throws IOException {
    try (runs) {
      open.forget(reading);
    }
  }

  private record LeasedPiece(LeasedVolume volume, ScratchRun run) implements Piece {
    @Override
    public long lengthBytes() {
      return run.lengthBytes();
    }

    @Override
    public long memoryBytes() {
      return run.memoryBytes();
    }

    @Override
    public BlockChecksums checksums() {
      return run.checksums();
    }

    @Override
    public RunInput open() {
      return new MappedRunInput(
          ranges -> volume.open.read(volume.reading, () -> volume.runs.map(ranges)),
          run.ranges(),
          run.lengthBytes(),
          volume.windowBytes);
    }
  }
}
