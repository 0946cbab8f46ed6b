package io.sluice.mapreduce.stage;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.FooterLocation;
import io.sluice.spill.format.OutputStamp;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.LeaseInfo;
import io.sluice.spill.writer.OutputWriter;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs one behind the other in extents of the node's pool, which are those of an output that is
 * never committed.
 *
 * <p>Thread contract, ownership and failure as {@link StageVolume} says; closing it gives the
 * extents back.
 */
final class LeasedVolume implements StageVolume {
  /** The first extents; the next ones are as long as what is there. */
  private static final long LEASE_BYTES = 256 << 10;

  /** Mapped of each run that is read: 1,024 of them have 64 MiB. */
  private static final int WINDOW_BYTES = 64 << 10;

  private final OutputWriter writer;
  private final OpenVolumes open;
  private final Map<Integer, SegmentInfo> segments = new ConcurrentHashMap<>();
  private final SegmentMapper mapper = new SegmentMapper(segments::get);
  private final Closeable reading = mapper::close;
  private boolean begun;
  private long endedBytes;
  private long openBytes;

  /** Leases nothing yet. */
  LeasedVolume(ExtentSource source, Medium medium, OpenVolumes open) {
    this.writer = new OutputWriter(new KnownSegments(source, segments), medium, 1, LEASE_BYTES);
    this.open = open;
  }

  @Override
  public void expect(long lengthBytes) throws IOException {
    if (lengthBytes > LEASE_BYTES) {
      writer.reserveCapacity(lengthBytes);
    }
  }

  @Override
  public void write(byte[] bytes, int offset, int length) throws IOException {
    begin();
    writer.write(bytes, offset, length);
    openBytes += length;
  }

  private void begin() {
    if (!begun) {
      begun = true;
      writer.beginRun(0);
    }
  }

  @Override
  public Piece endRun() throws IOException {
    begin();
    begun = false;
    endedBytes += openBytes;
    openBytes = 0;
    long memoryBytesBefore = writer.stats().memoryBytes();
    WrittenRun run = writer.endRun(0, 0);
    writer.flush();
    return new PoolPiece(
        this, run, writer.rangesOf(run), writer.stats().memoryBytes() - memoryBytesBefore);
  }

  @Override
  public long lengthBytes() {
    return endedBytes + openBytes;
  }

  @Override
  public void endWriting() throws IOException {
    writer.endWriting();
  }

  @Override
  public void close() throws IOException {
    try (writer) {
      open.forget(reading);
    }
  }

  /** Keeps its ranges, because the volume may go on writing while the piece is read. */
  private record PoolPiece(
      LeasedVolume volume, WrittenRun run, List<Range> ranges, long memoryBytes) implements Piece {
    @Override
    public long lengthBytes() {
      return run.lengthBytes();
    }

    @Override
    public BlockChecksums checksums() {
      return run.checksums();
    }

    @Override
    public RunInput open() {
      return new MappedRunInput(
          some -> volume.open.read(volume.reading, () -> volume.mapper.map(some)),
          ranges,
          run.lengthBytes(),
          WINDOW_BYTES);
    }
  }

  /** Remembers where the segments of leased extents are, for reading them. */
  private record KnownSegments(ExtentSource source, Map<Integer, SegmentInfo> segments)
      implements ExtentSource {
    @Override
    public LeaseInfo info() {
      return source.info();
    }

    @Override
    public List<Extent> lease(long lengthBytes) throws IOException {
      List<Extent> extents = source.lease(lengthBytes);
      extents.forEach(this::remember);
      return extents;
    }

    @Override
    public Extent leaseContiguous(long lengthBytes) throws IOException {
      Extent extent = source.leaseContiguous(lengthBytes);
      remember(extent);
      return extent;
    }

    private void remember(Extent extent) {
      segments.put(extent.segment().segmentId(), extent.segment());
    }

    @Override
    public void release(List<Extent> extents) throws IOException {
      source.release(extents);
    }

    @Override
    public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
      source.commit(stamp, trailer);
    }
  }
}
