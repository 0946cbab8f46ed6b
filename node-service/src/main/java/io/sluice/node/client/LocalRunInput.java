package io.sluice.node.client;

import io.sluice.node.remote.OutputLocations.SegmentLocation;
import io.sluice.node.wire.FailureMeaning;
import io.sluice.node.wire.RemoteError;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.RunInput.ChecksumException;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A run in this node's own pool, read from the files of its segments, and read on where it lies now
 * when it was moved. Nothing is asked while it stays where it is.
 *
 * <p>Thread contract: one thread at a time. Ownership: its cursor closes it; the mapper and the
 * node stay their owner's. Failure:
 *
 * <ul>
 *   <li>{@link IOException} when a segment of the run is gone and the node says that it should be
 *       there,
 *   <li>{@link FetchFailedException} as {@link RunLocator} has it,
 *   <li>{@link ReaderFailedException} when no file could be opened for as long as a restart may
 *       take, or the service of this node refuses to open any for this process.
 * </ul>
 */
final class LocalRunInput implements RunInput {
  private static final long FIRST_PAUSE_MS = 50;
  private static final long LONGEST_PAUSE_MS = 2_000;

  private final RemoteNode node;
  private final SegmentMapper mapper;
  private final String name;
  private final long lengthBytes;
  private final BusyBackoff refusal;
  private final RunLocator where;
  private List<Range> ranges;
  private int rangeNumber;
  private long rangeOffsetBytes;
  private long consumedBytes;

  LocalRunInput(
      RemoteNode node,
      SegmentMapper mapper,
      String outputId,
      String name,
      LocatedRun located,
      Map<Integer, SegmentLocation> segments) {
    this.node = node;
    this.mapper = mapper;
    this.name = name;
    this.lengthBytes = located.run().lengthBytes();
    this.refusal = new BusyBackoff(name, node.timeouts().busyMs());
    this.where = new RunLocator(node, outputId, name, located, segments, refusal);
    openAt(0);
  }

  @Override
  public int read(byte[] dst, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (consumedBytes == lengthBytes) {
      return -1;
    }
    long deadlineNs =
        System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(node.timeouts().restartMs());
    long pauseMs = FIRST_PAUSE_MS;
    while (true) {
      try {
        return readRange(dst, offset, length);
      } catch (InterruptedIOException e) {
        throw e;
      } catch (IOException e) {
        if (isShort(e)) {
          pause(pauseMs, deadlineNs, e);
          pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        } else if (isElsewhere(e)) {
          openAt(consumedBytes);
        } else if (e instanceof RemoteError error && error.code() == RemoteError.Code.REFUSED) {
          throw cannotOpen(e); // the lease of this task was lost with its connection, say
        } else {
          throw e;
        }
      }
    }
  }

  /** Whether a file could not be opened here, or the service had no descriptor of it to give. */
  private static boolean isShort(IOException failure) {
    return FailureMeaning.isShort(failure)
        || (failure instanceof RemoteError
            && FailureMeaning.ofAsking(failure) == FailureMeaning.NOT_NOW);
  }

  private void pause(long pauseMs, long deadlineNs, IOException cause) throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw where.interrupted();
    }
    if (System.nanoTime() - deadlineNs > 0) {
      throw cannotOpen(cause);
    }
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(pauseMs));
  }

  private ReaderFailedException cannotOpen(IOException cause) {
    return new ReaderFailedException(
        name + ": cannot be opened by this process: " + ErrorText.of(cause), cause);
  }

  private int readRange(byte[] dst, int offset, int length) throws IOException {
    Range range = ranges.get(rangeNumber);
    int n = (int) Math.min(length, range.lengthBytes() - rangeOffsetBytes);
    mapper.read(
        new Range(range.segmentId(), range.offsetBytes() + rangeOffsetBytes, n),
        this::segment,
        ByteBuffer.wrap(dst, offset, n));
    consumedBytes += n;
    rangeOffsetBytes += n;
    if (rangeOffsetBytes == range.lengthBytes()) {
      rangeNumber++;
      rangeOffsetBytes = 0;
    }
    return n;
  }

  private boolean isElsewhere(IOException failure) throws IOException {
    boolean elsewhere = where.askAgain(consumedBytes, failure);
    refusal.isOver();
    return elsewhere;
  }

  @Override
  public boolean rereadFrom(long offsetBytes, ChecksumException cause) throws IOException {
    boolean again = where.mayComeRight(offsetBytes, cause);
    refusal.isOver();
    if (again) {
      openAt(offsetBytes);
    }
    return again;
  }

  private void openAt(long offsetBytes) {
    ranges = rangesFrom(offsetBytes);
    rangeNumber = 0;
    rangeOffsetBytes = 0;
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
    List<Range> left = new ArrayList<>();
    long skipBytes = offsetBytes;
    for (Range range : where.place().ranges()) {
      long skippedBytes = Math.min(skipBytes, range.lengthBytes());
      skipBytes -= skippedBytes;
      if (skippedBytes < range.lengthBytes()) {
        left.add(
            new Range(
                range.segmentId(),
                range.offsetBytes() + skippedBytes,
                range.lengthBytes() - skippedBytes));
      }
    }
    return left;
  }

  @Override
  public long remainingBytes() {
    return lengthBytes - consumedBytes;
  }

  @Override
  public void close() {
    // It holds nothing.
  }
}
