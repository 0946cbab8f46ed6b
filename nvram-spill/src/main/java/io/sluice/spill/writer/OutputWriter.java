package io.sluice.spill.writer;

import io.sluice.spill.disk.Device;
import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksums.BlockChecksummer;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterLayout.LocationRecord;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.merge.MappedRunInput;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.writer.WriteTarget.ExtentMemory;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;

/**
 * Writes one map output, run by run, straight into leased extents, and commits it. A second writer
 * on the same source rewrites an output whose runs were merged.
 *
 * <p>Per run: {@link #beginRun}, then {@link #reserve} and {@link #advance}, or {@link #write}, as
 * often as needed, then {@link #endRun}; or {@link #writeRun}. Only the extent being filled is
 * mapped, because mapped pages count against the limits of a task's container.
 *
 * <p>Thread contract: one thread. Ownership: the creator closes it; without a commit that releases
 * every extent. Failure: {@link IOException} of the source or of a file; the writer can then only
 * be closed. Only after a {@link io.sluice.spill.store.StoreFullException} of {@link #write} may
 * the run be ended and read: it has the bytes that found room.
 */
public final class OutputWriter implements Closeable {
  private static final int CRC_CHUNK_BYTES = BlockChecksums.BLOCK_BYTES;
  private static final int FOOTER_ROOM_BYTES = 4096;

  private final ExtentSource source;
  private final OpenExtent.Opener opener;
  private final int partitionCount;
  private final LeasedExtents extents;
  private final WrittenRuns runs;
  private final BlockChecksummer summer = new BlockChecksummer();
  private final SegmentMapper mapper;

  private OpenExtent current;
  private ByteBuffer window;
  private int position;
  private int limit;
  private int crcPosition;
  private boolean summing = true; // not while a run is written whose checksums are known
  private ByteBuffer bounce = ByteBuffer.allocate(0);
  private boolean bouncing;

  private int partition = -1;
  private long furtherCrcs;
  private long runStartBytes;
  private long runStartNs;
  private long memoryBytes;
  private long diskBytes;
  private long writeNs;
  private long persistNs;
  private boolean committed;
  private boolean closed;

  /**
   * Creates a writer that has leased nothing yet.
   *
   * @param leaseBytes how much to lease at first when {@link #reserveCapacity} has not asked for
   *     enough
   */
  public OutputWriter(ExtentSource source, Medium medium, int partitionCount, long leaseBytes) {
    this(WriteTarget.mapped(source, medium), partitionCount, leaseBytes);
  }

  /** The same with another way to the extents' memory. */
  public OutputWriter(
      ExtentSource source,
      Medium medium,
      ExtentMemory memory,
      int partitionCount,
      long leaseBytes) {
    this(new WriteTarget(source, medium, memory), partitionCount, leaseBytes);
  }

  /** The same to a target. */
  OutputWriter(WriteTarget target, int partitionCount, long leaseBytes) {
    if (partitionCount <= 0 || leaseBytes <= 0) {
      throw new IllegalArgumentException(
          "partition count %s and lease size %s must be more than 0"
              .formatted(partitionCount, leaseBytes));
    }
    this.source = target.source();
    this.opener = new OpenExtent.Opener(target);
    this.partitionCount = partitionCount;
    this.extents = new LeasedExtents(source, leaseBytes, target.mappedBytes());
    this.mapper = new SegmentMapper(target.opener(), extents::segment);
    this.runs = new WrittenRuns();
  }

  /** Leases room for this many bytes more of runs, one per partition, in one message. */
  public void reserveCapacity(long lengthBytes) throws IOException {
    long tailBytes =
        OutputIndex.encodedBytes(
                partitionCount,
                runs.size() + partitionCount,
                furtherCrcs + BlockChecksums.furtherBlocks(lengthBytes))
            + FOOTER_ROOM_BYTES;
    long openBytes = current == null ? 0 : extentRoomBytes();
    if (lengthBytes + tailBytes > openBytes) {
      extents.reserve(lengthBytes + tailBytes - openBytes);
    }
  }

  /** Starts a run; a partition may have several. */
  public void beginRun(int partition) {
    checkState(this.partition < 0, "a run is open already");
    checkState(!committed && !closed, "the output is committed or closed");
    if (partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition " + partition + " is not one of 0 to " + (partitionCount - 1));
    }
    this.partition = partition;
    runStartBytes = logicalPosition();
    runStartNs = System.nanoTime();
    crcPosition = position;
  }

  /**
   * Memory for at least the next {@code lengthBytes} bytes of the run, from the buffer's position
   * to its limit, usually much more. Fill it from the position on, then call {@link #advance}; the
   * buffer is not used after that.
   */
  public ByteBuffer reserve(int lengthBytes) throws IOException {
    bouncing = false;
    if (limit - position >= lengthBytes) {
      return window.limit(limit).position(position);
    }
    return reserveBeyondWindow(lengthBytes);
  }

  /** Appends the first {@code lengthBytes} bytes of the last {@link #reserve} to the run. */
  public void advance(int lengthBytes) throws IOException {
    if (bouncing) {
      bouncing = false;
      write(bounce.array(), 0, lengthBytes);
      return;
    }
    if (partition < 0 || lengthBytes < 0 || lengthBytes > limit - position) {
      throw new IllegalStateException(
          "cannot advance by %s: %s bytes are reserved, the open run is %s"
              .formatted(lengthBytes, limit - position, partition));
    }
    position += lengthBytes;
    if (position - crcPosition >= CRC_CHUNK_BYTES) {
      updateCrc();
    }
  }

  /** Appends bytes to the run. */
  public void write(byte[] bytes, int offset, int lengthBytes) throws IOException {
    write(ByteBuffer.wrap(bytes, offset, lengthBytes));
  }

  /** Appends the remaining bytes of a buffer to the run. */
  public void write(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (position == limit) {
        moveWindow();
      }
      int lengthBytes = Math.min(bytes.remaining(), limit - position);
      window.limit(limit);
      window.put(position, bytes, bytes.position(), lengthBytes);
      bytes.position(bytes.position() + lengthBytes);
      advance(lengthBytes);
    }
  }

  /** Writes a complete run whose checksums are known: its bytes are touched only once. */
  public WrittenRun writeRun(
      int partition, ByteBuffer bytes, BlockChecksums checksums, long records) throws IOException {
    int lengthBytes = bytes.remaining();
    if (!checksums.fit(lengthBytes)) {
      throw new IllegalArgumentException(
          "checksums " + checksums + " are not those of " + lengthBytes + " bytes");
    }
    beginRun(partition);
    summing = false;
    try {
      write(bytes);
    } finally {
      summing = true;
    }
    return endRun(lengthBytes, 0, records, checksums);
  }

  /** Ends the run. */
  public WrittenRun endRun(long rawLengthBytes, long records) {
    return endRun(rawLengthBytes, 0, records);
  }

  /** Ends a run of chunks with this raw length. */
  public WrittenRun endRun(long rawLengthBytes, int chunkBytes, long records) {
    updateCrc();
    return endRun(rawLengthBytes, chunkBytes, records, summer.finish());
  }

  private WrittenRun endRun(
      long rawLengthBytes, int chunkBytes, long records, BlockChecksums checksums) {
    checkState(partition >= 0, "no run is open");
    long lengthBytes = logicalPosition() - runStartBytes;
    WrittenRun run =
        new WrittenRun(
            partition, runStartBytes, lengthBytes, rawLengthBytes, chunkBytes, records, checksums);
    runs.add(run);
    furtherCrcs += checksums.furtherCount();
    for (Range range : rangesOf(run)) {
      if (SegmentInfo.tierOf(range.segmentId()) == Tier.MEMORY) {
        memoryBytes += range.lengthBytes();
      } else {
        diskBytes += range.lengthBytes();
      }
    }
    partition = -1;
    writeNs += System.nanoTime() - runStartNs;
    return run;
  }

  /** Waits until all bytes written so far are in the extents, where others can read them. */
  public void flush() throws IOException {
    checkState(partition < 0, "a run is open");
    settle();
  }

  /**
   * Ends writing for an output that is never committed: gives back the window, the staging buffer
   * and the extents that are leased beyond the runs. The runs stay until {@link #close}.
   */
  public void endWriting() throws IOException {
    checkState(partition < 0, "a run is open");
    checkState(!committed && !closed, "the output is committed or closed");
    if (current != null) {
      slide();
      long keptBytes = roundUp(usedBytes(), source.info().blockBytes());
      closeCurrent();
      extents.trimLast(keptBytes);
    }
    extents.releaseUnused();
    opener.close();
  }

  /** The runs ended so far, in the order of writing; each object is made when it is read. */
  public List<WrittenRun> runs() {
    return Collections.unmodifiableList(runs);
  }

  /** The same, partition by partition; those of one stay in order. */
  public List<WrittenRun> runsByPartition() {
    return runs.byPartition();
  }

  /** Bytes of heap that the records of runs take, without the checksums of long runs. */
  public long heldBytes() {
    return runs.heldBytes();
  }

  /** Length of the index with one more run of this length. */
  public long indexBytesWith(long runLengthBytes) {
    return OutputIndex.encodedBytes(
        partitionCount,
        runs.size() + 1,
        furtherCrcs + BlockChecksums.furtherBlocks(runLengthBytes));
  }

  /** Where the bytes of a run lie, in order; empty if it has none. */
  public List<Range> rangesOf(WrittenRun run) {
    return extents.used().ranges(run.logicalOffsetBytes(), run.lengthBytes());
  }

  /** Finds a segment in which an extent of this writer lies; null if there is none. */
  SegmentInfo segment(int segmentId) {
    return extents.segment(segmentId);
  }

  /**
   * Reads a run before the commit, {@code windowBytes} of it mapped at a time; the caller closes
   * the result.
   */
  public MappedRunInput input(WrittenRun run, int windowBytes) {
    return new MappedRunInput(this::mapRanges, rangesOf(run), run.lengthBytes(), windowBytes);
  }

  private MappedRanges mapRanges(List<Range> ranges) throws IOException {
    checkState(partition < 0, "a run is open");
    checkState(!closed, "the output is closed");
    settle();
    return mapper.map(ranges);
  }

  /**
   * Makes the output exist. First the data reach the medium, then index and identity, then location
   * and trailer. After that the store checks the output and publishes it.
   */
  public void commit(OutputId id) throws IOException {
    checkState(partition < 0, "a run is open");
    checkState(!committed && !closed, "the output is committed or closed");
    long dataLengthBytes = logicalPosition();
    ByteBuffer index = OutputIndex.encode(partitionCount, runs);
    int indexOffsetBytes = openTail(id, index.capacity());
    int identityOffsetBytes = indexOffsetBytes + (int) FooterLayout.align8(index.capacity());
    int identityEndBytes = identityOffsetBytes + FooterLayout.identityBytes(id);
    int locationBytes = FooterLayout.locationBytes(extents.used().extents().size());
    long tailBytes = roundUp((long) identityEndBytes + locationBytes, source.info().blockBytes());
    extents.trimLast(tailBytes);
    extents.releaseUnused();
    persist(indexOffsetBytes);
    OutputIdentity identity = identity(id, dataLengthBytes, indexOffsetBytes, index);
    current.writeAt(indexOffsetBytes, index.duplicate());
    current.writeAt(identityOffsetBytes, identity.encode());
    persist(identityEndBytes);
    LocationRecord location = location(identity, identityOffsetBytes, tailBytes);
    current.writeAt((int) tailBytes - locationBytes, location.encode());
    persist((int) tailBytes);
    source.commit(identity.stamp(), location.location());
    committed = true;
  }

  /** Bytes and times so far. */
  public WriterStats stats() {
    return new WriterStats(memoryBytes, diskBytes, writeNs, persistNs);
  }

  /** Unmaps, and without a commit releases every extent; idempotent. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (mapper) {
      closeCurrent();
    } finally {
      opener.close();
      if (!committed) {
        extents.releaseAll();
      }
    }
  }

  private ByteBuffer reserveBeyondWindow(int lengthBytes) throws IOException {
    if (position == limit || lengthBytes <= Device.UNIT_BYTES) {
      slideOrMove(lengthBytes);
      if (limit - position >= lengthBytes) {
        return window.limit(limit).position(position);
      }
    }
    if (bounce.capacity() < lengthBytes) {
      bounce = ByteBuffer.allocate(Math.max(lengthBytes, CRC_CHUNK_BYTES));
    }
    bouncing = true;
    return bounce.clear();
  }

  private void slideOrMove(int lengthBytes) throws IOException {
    if (position == limit) {
      moveWindow();
    } else if (extentRoomBytes() >= lengthBytes) {
      slide();
    }
  }

  /**
   * Called when the window is full: goes to the next part of this extent, or to the next extent.
   */
  private void moveWindow() throws IOException {
    if (current != null) {
      slide();
    }
    if (current == null || extentRoomBytes() == 0) {
      finishCurrent();
      open(extents.next());
    }
  }

  /** Writes the content of the window to the extent, and waits for it. */
  private void settle() throws IOException {
    if (current != null) {
      slide();
      current.settle();
    }
  }

  /** Begins to write the content of the window. */
  private void slide() throws IOException {
    if (current == null) {
      return;
    }
    updateCrc();
    int startBytes = current.windowStart();
    current.slide(position);
    position -= current.windowStart() - startBytes;
    crcPosition = position;
    window = current.window();
    limit = current.windowLimit();
  }

  private long extentRoomBytes() {
    return current.extent().lengthBytes() - current.windowStart() - position;
  }

  private void finishCurrent() throws IOException {
    if (current != null) {
      persist(usedBytes());
      closeCurrent();
    }
  }

  private void closeCurrent() throws IOException {
    if (current != null) {
      OpenExtent closing = current;
      current = null;
      window = null;
      position = 0;
      limit = 0;
      crcPosition = 0;
      closing.close();
    }
  }

  private void open(Extent extent) throws IOException {
    current = opener.open(extent);
    window = current.window();
    limit = current.windowLimit();
  }

  /** Opens an extent that has room for the whole tail; returns the offset of the index. */
  private int openTail(OutputId id, int indexBytes) throws IOException {
    slide();
    long indexAndIdentityBytes = FooterLayout.align8(indexBytes) + FooterLayout.identityBytes(id);
    if (current != null) {
      int indexOffsetBytes = (int) FooterLayout.align8(usedBytes());
      int locationBytes = FooterLayout.locationBytes(extents.used().extents().size());
      if (indexOffsetBytes + indexAndIdentityBytes + locationBytes
          <= current.extent().lengthBytes()) {
        return indexOffsetBytes;
      }
      long keptBytes = roundUp(usedBytes(), source.info().blockBytes());
      finishCurrent();
      extents.trimLast(keptBytes);
    }
    int locationBytes = FooterLayout.locationBytes(extents.used().extents().size() + 1);
    open(extents.nextContiguous(indexAndIdentityBytes + locationBytes));
    return 0;
  }

  private OutputIdentity identity(
      OutputId id, long dataLengthBytes, int indexOffsetBytes, ByteBuffer index) {
    return new OutputIdentity(
        id,
        source.info().generation(),
        partitionCount,
        runs.size(),
        dataLengthBytes,
        extents.used().lastStartBytes() + indexOffsetBytes,
        index.capacity(),
        BlockChecksums.crc32c(index.array(), 0, index.capacity()));
  }

  private LocationRecord location(
      OutputIdentity identity, int identityOffsetBytes, long tailBytes) {
    Extent tail = current.extent();
    return new LocationRecord(
        source.info().poolId(),
        new FooterLocation(
            tail.segment().segmentId(),
            tail.offsetBytes() + tailBytes - FooterLayout.TRAILER_BYTES),
        identity.writerGeneration(),
        extents.used().extents().stream().map(Extent::range).toList(),
        extents.used().lastStartBytes() + identityOffsetBytes,
        FooterLayout.identityBytes(identity.id()),
        identity.crc32c());
  }

  private void persist(int endBytes) throws IOException {
    long startNs = System.nanoTime();
    current.persist(endBytes);
    persistNs += System.nanoTime() - startNs;
  }

  private void updateCrc() {
    if (position > crcPosition) {
      if (summing) {
        summer.update(window.limit(position).position(crcPosition));
      }
      crcPosition = position;
    }
  }

  private int usedBytes() {
    return current.windowStart() + position;
  }

  private long logicalPosition() {
    return current == null
        ? extents.used().lengthBytes()
        : extents.used().lastStartBytes() + usedBytes();
  }

  private static long roundUp(long bytes, int unit) {
    return (bytes + unit - 1) / unit * unit;
  }

  private static void checkState(boolean holds, String message) {
    if (!holds) {
      throw new IllegalStateException(message);
    }
  }

  /**
   * Bytes and times of a writer so far.
   *
   * @param memoryBytes bytes of runs written to the memory tier
   * @param diskBytes bytes of runs written to the disk tier
   * @param writeNs time between the beginning and the end of runs, so it holds the caller's
   *     gathering
   * @param persistNs time for making bytes safe, part of it inside {@code writeNs}
   */
  public record WriterStats(long memoryBytes, long diskBytes, long writeNs, long persistNs) {}
}
