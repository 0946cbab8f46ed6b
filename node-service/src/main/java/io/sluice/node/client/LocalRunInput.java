package io.sluice.node.client;

import io.sluice.node.remote.SegmentLocation;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.ChecksumException;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A run in this node's own pool, mapped a window at a time, and read on where it lies now when it
 * was moved. Nothing is asked while it stays where it is.
 *
 * <p>Thread contract: one thread at a time. Ownership: its cursor closes it; the mapper and the
 * node stay their owner's. Failure: {@link IOException} when a segment of the run is gone and the
 * node says that it should be there, {@link FetchFailedException} as {@link Whereabouts} has it.
 */
final class LocalRunInput implements RunInput {
  private final SegmentMapper mapper;
  private final long lengthBytes;
  private final Refusal refusal;
  private final Whereabouts where;
  private int windowBytes;
  private MappedRunInput mapped;
  private long consumedBytes;

  /** Maps {@code windowBytes} at a time. */
  LocalRunInput(
      RemoteNode node,
      SegmentMapper mapper,
      String outputId,
      String name,
      LocatedRun located,
      Map<Integer, SegmentLocation> segments,
      int windowBytes) {
    this.mapper = mapper;
    this.lengthBytes = located.run().lengthBytes();
    this.windowBytes = windowBytes;
    this.refusal = new Refusal(name, node.timeouts().busyMs());
    this.where = new Whereabouts(node, outputId, name, located, segments, refusal);
    openAt(0);
  }

  /** Maps so much at a time from now on. */
  void setWindowBytes(int windowBytes) {
    this.windowBytes = windowBytes;
    mapped.setWindowBytes(windowBytes);
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    while (true) {
      try {
        int n = mapped.read(dst, offset, length);
        consumedBytes += Math.max(0, n);
        return n;
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        mapped.close();
        if (!isElsewhere(e)) {
          throw e;
        }
        openAt(consumedBytes);
      }
    }
  }

  private boolean isElsewhere(IOException failure) throws IOException {
    boolean elsewhere = where.askAgain(consumedBytes, failure);
    refusal.isOver();
    return elsewhere;
  }

  @Override
  public boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
    mapped.close();
    boolean stale = where.isStale(offsetBytes, cause);
    refusal.isOver();
    if (stale) {
      openAt(offsetBytes);
    }
    return stale;
  }

  private void openAt(long offsetBytes) {
    mapped =
        new MappedRunInput(
            ranges -> mapper.map(ranges, this::segment),
            rangesFrom(offsetBytes),
            lengthBytes - offsetBytes,
            windowBytes);
    consumedBytes = offsetBytes;
  }

  private SegmentInfo segment(int segmentId) {
    SegmentLocation location = where.segment(segmentId);
    return location == null ? null : location.segment();
  }

  private List<Range> rangesFrom(long offsetBytes) {
    if (offsetBytes == 0) {
      return where.place().ranges(); // of most runs, which nobody moves
    }
    List<Range> ranges = new ArrayList<>();
    long skipBytes = offsetBytes;
    for (Range range : where.place().ranges()) {
      long skippedBytes = Math.min(skipBytes, range.lengthBytes());
      skipBytes -= skippedBytes;
      if (skippedBytes < range.lengthBytes()) {
        ranges.add(
            new Range(
                range.segmentId(),
                range.offsetBytes() + skippedBytes,
                range.lengthBytes() - skippedBytes));
      }
    }
    return ranges;
  }

  @Override
  public long remainingBytes() {
    return lengthBytes - consumedBytes;
  }

  @Override
  public void close() {
    mapped.close();
  }
}
