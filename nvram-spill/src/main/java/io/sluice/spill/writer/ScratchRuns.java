package io.sluice.spill.writer;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.merge.VerifiedRunInput;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Runs in leased extents that are never committed: they are written one after the other, read in
 * this process, and given back. Unlike the output of an {@link OutputWriter}, which writes them,
 * they have no partitions, id or index, and are read while the next one is written.
 *
 * <p>Thread contract: one thread at a time writes; runs that have ended are read meanwhile, by any.
 * Ownership: the creator closes it after the last read, which gives the extents back. Failure:
 * {@link IOException} of the source or of a file. After a {@link
 * io.sluice.spill.store.StoreFullException} the bytes that found room are a run that can be ended
 * and read; nothing more can be written.
 */
public final class ScratchRuns implements Closeable {
  private final OutputWriter writer;

  /** The segments of ended runs, for reads of other threads. */
  private final Map<Integer, SegmentInfo> segments = new ConcurrentHashMap<>();

  private final SegmentMapper mapper;
  private boolean begun;
  private long lengthBytes;

  /**
   * Leases nothing yet.
   *
   * @param leaseBytes how much to lease at first; then as much again as there is
   */
  public ScratchRuns(WriteTarget target, long leaseBytes) {
    mapper = new SegmentMapper(target.opener(), segments::get);
    writer = target.writer(1, leaseBytes);
  }

  /** Leases room for more bytes, in one request. */
  public void reserve(long lengthBytes) throws IOException {
    writer.reserveCapacity(lengthBytes);
  }

  /** Appends bytes to the run at the end. */
  public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    write(ByteBuffer.wrap(bytes, offset, lengthBytes));
  }

  /** Appends the remaining bytes; if the store is full, those that found no room still remain. */
  public void write(ByteBuffer bytes) throws IOException {
    begin();
    int start = bytes.position();
    try {
      writer.write(bytes);
    } finally {
      lengthBytes += bytes.position() - start;
    }
  }

  private void begin() {
    if (!begun) {
      begun = true;
      writer.beginRun(0);
    }
  }

  /** Ends this run, which can be read from now on; the next byte begins another. */
  public ScratchRun endRun() throws IOException {
    begin();
    begun = false;
    long memoryBytesBefore = writer.stats().memoryBytes();
    WrittenRun run = writer.endRun(0, 0);
    List<Range> ranges = writer.rangesOf(run);
    ranges.forEach(range -> segments.computeIfAbsent(range.segmentId(), writer::segment));
    writer.flush();
    return new ScratchRun(
        ranges,
        run.lengthBytes(),
        writer.stats().memoryBytes() - memoryBytesBefore,
        run.checksums());
  }

  /** All bytes written so far. */
  public long lengthBytes() {
    return lengthBytes;
  }

  /** Ends writing: gives back the writing buffers, and the extents leased beyond the runs. */
  public void endWriting() throws IOException {
    writer.endWriting();
  }

  /** Reads a run, verified; nothing is mapped before the first read. */
  public RunInput open(String name, ScratchRun run, int windowBytes) {
    return new VerifiedRunInput(
        name,
        new MappedRunInput(this::map, run.ranges(), run.lengthBytes(), windowBytes),
        run.lengthBytes(),
        run.checksums());
  }

  /** Maps ranges of ended runs; the caller closes the result. */
  public MappedRanges map(List<Range> ranges) throws IOException {
    return mapper.map(ranges);
  }

  /** Closes the files that were opened for reading; they are opened again when they are needed. */
  public void closeFiles() throws IOException {
    mapper.close();
  }

  /** Gives the extents back; idempotent. */
  @Override
  public void close() throws IOException {
    try (writer) {
      closeFiles();
    }
  }

  /**
   * A run of {@link ScratchRuns} that has ended.
   *
   * @param ranges where its bytes lie, in order; empty if it has none
   * @param lengthBytes how many they are
   * @param memoryBytes those of them that are in the memory tier
   * @param checksums of them, block by block
   */
  public record ScratchRun(
      List<Range> ranges, long lengthBytes, long memoryBytes, BlockChecksums checksums) {}
}
