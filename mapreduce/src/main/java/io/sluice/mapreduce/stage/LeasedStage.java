package io.sluice.mapreduce.stage;

import io.sluice.mapreduce.stage.StageVolume.OpenVolumes;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.writer.ReceivedExtents;
import io.sluice.spill.writer.ScratchRuns;
import io.sluice.spill.writer.ScratchRuns.ScratchRun;
import io.sluice.spill.writer.WriteTarget;
import java.io.Closeable;
import java.io.IOException;
import java.util.function.Function;

/**
 * Stages runs in leased extents of the node's pool, which are never committed. The service frees
 * them when this reducer closes them or dies. Bytes that have no room in the memory tier go to the
 * pool's disk tier, as for map outputs, and so do bytes of revoked memory.
 *
 * <p>Thread contract and ownership: those of {@link PackedStage}; the caller owns the lease.
 */
public final class LeasedStage extends PackedStage {
  /** A volume may have several segments open. */
  private static final int MAX_OPEN_VOLUMES = 16;

  /** The window to map of each run that is read, unless there are too many runs. */
  public static final int WINDOW_BYTES = 64 << 10;

  private final ReceivedExtents source;
  private final WriteTarget target;
  private final WriteTarget onDisk;
  private final int windowBytes;
  private final OpenVolumes open = new OpenVolumes(MAX_OPEN_VOLUMES);

  /**
   * Stages runs in extents of {@code source}.
   *
   * @param targets makes a target that writes to leased extents
   * @param windowBytes window to map of each run that is read
   * @param key for encryption, or null
   */
  public LeasedStage(
      ReceivedExtents source,
      Function<ExtentSource, WriteTarget> targets,
      int windowBytes,
      OutputKey key) {
    super(key);
    this.source = source;
    this.target = targets.apply(source);
    this.onDisk = targets.apply(source.onDisk());
    this.windowBytes = windowBytes;
  }

  @Override
  StageVolume openVolume(long lengthBytes) {
    return new LeasedVolume(target, open, windowBytes);
  }

  @Override
  StageVolume openDiskVolume(long lengthBytes) {
    return new LeasedVolume(onDisk, open, windowBytes);
  }

  @Override
  long heldBytes() {
    return source.heldBytes();
  }

  /**
   * Runs in sequence in leased extents.
   *
   * <p>Thread contract, ownership and failure: those of {@link StageVolume}; closing it frees the
   * extents.
   */
  private static final class LeasedVolume implements StageVolume {
    /** Bytes of the first lease; each further lease doubles the volume. */
    private static final long LEASE_BYTES = 256 << 10;

    private final ScratchRuns runs;
    private final OpenVolumes open;
    private final Closeable reading;
    private final int windowBytes;

    /**
     * Leases with the first write.
     *
     * @param windowBytes window to map of each run that is read
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
    public VolumeRun endRun() throws IOException {
      return new LeasedRun(this, runs.endRun());
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

    private record LeasedRun(LeasedVolume volume, ScratchRun run) implements VolumeRun {
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
}
