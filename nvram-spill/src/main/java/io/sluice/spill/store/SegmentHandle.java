package io.sluice.spill.store;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterReader.ByteSource;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * An open segment in the process of the store. A {@link MemorySegment} is mapped for a transport to
 * register; a {@link DiskSegment} is read in its turn at the device.
 *
 * <p>Thread contract: safe from any thread. Ownership: the store closes it; nobody else does, and
 * nobody accesses the mapping after {@link SpillStore#close} or {@link
 * SegmentListener#segmentRemoved}. Failure: {@link IOException} of the file.
 */
public abstract class SegmentHandle implements ByteSource, Closeable {
  private final Owner owner;
  private final boolean trusted;
  private volatile SegmentInfo info;

  SegmentHandle(SegmentInfo info, Owner owner, boolean trusted) {
    this.info = info;
    this.owner = owner;
    this.trusted = trusted;
  }

  /** Id, path and length; a file of the disk tier gets shorter while its lease is open. */
  public final SegmentInfo info() {
    return info;
  }

  /** The file is shorter by now. */
  final void hasLength(long lengthBytes) {
    info = info.withLength(lengthBytes);
  }

  /** The user whose bytes it holds, for as long as it is open. */
  public final Owner owner() {
    return owner;
  }

  /** Whether the owner is this process's user; any other may cut the file or write to it. */
  final boolean isTrusted() {
    return trusted;
  }

  @Override
  public final long lengthBytes() {
    return info.lengthBytes();
  }

  final Range range() {
    return new Range(info.segmentId(), 0, info.lengthBytes());
  }

  final Extent extent(Range range) {
    return new Extent(info, range.offsetBytes(), range.lengthBytes());
  }

  /**
   * The open file; transports serve segments of the memory tier from it. Null if the segment cannot
   * be read as a file and has to be served from its mapping.
   */
  public abstract SharedFile file();

  /**
   * The whole segment mapped for reading and writing; empty on the disk tier. For devices alone,
   * unless its owner is this process's user.
   */
  public abstract Optional<ByteBuffer> mapping();

  /** Reads it in its turn, for transports; empty on the memory tier. */
  public abstract Optional<LendingReader> reader();

  /**
   * A part of the memory tier's mapping, for a writer in this process that has leased it; not to be
   * used after the segment was closed.
   *
   * @throws IllegalStateException if it is another user's, or on disk
   */
  public abstract Mapping part(Range range);

  /**
   * Fills {@code destination}, whose position is 0, from the mapping, or from the file where there
   * is no mapping to be touched.
   */
  public abstract void copyTo(long offsetBytes, ByteBuffer destination) throws IOException;

  /** Whether {@link #copyTo} takes no lock of the file and no call of the system. */
  abstract boolean isCopiedFromMapping();

  /** The same as {@link #read}, but on the disk tier in its turn at the device, with a deadline. */
  abstract void readInTurn(long offsetBytes, byte[] destination) throws IOException;

  /** Reads like {@link #readInTurn}. */
  final ByteSource inTurn() {
    return new ByteSource() {
      @Override
      public long lengthBytes() {
        return SegmentHandle.this.lengthBytes();
      }

      @Override
      public void read(long offsetBytes, byte[] destination) throws IOException {
        readInTurn(offsetBytes, destination);
      }
    };
  }

  /** Does what may have to wait for the file system: on the disk tier with a deadline. */
  void atFileSystem(DiskThread.Action action) throws IOException {
    action.run();
  }

  /**
   * The same where marks are written, which does not queue behind other files: with all of the
   * deadline, whatever else hangs, since a failure is for good.
   */
  void atMarks(DiskThread.Action action) throws IOException {
    action.run();
  }

  /**
   * Cuts off what its owner has added, before others rely on it.
   *
   * @throws CorruptOutputException if the owner has cut it
   */
  abstract void checkWhole() throws IOException;

  /** Whether the file has the length that it was given. */
  final boolean isWhole() throws IOException {
    return trusted || file().lengthBytes() == lengthBytes();
  }

  /** As {@link #checkWhole}, where the file may be waited for. */
  final void checkLength() throws IOException {
    long foundBytes = file().lengthBytes();
    if (foundBytes < lengthBytes()) {
      throw new CorruptOutputException(info + " was cut by its owner, to " + foundBytes + " bytes");
    }
    if (foundBytes > lengthBytes()) {
      file().setLength(lengthBytes());
    }
  }

  /** Writes the commit mark of a trailer, after everything it vouches for. */
  abstract void writeMark(long trailerOffsetBytes, long mark) throws IOException;

  final void writeMarkToFile(Medium medium, long trailerOffsetBytes, long mark) throws IOException {
    long offsetBytes = trailerOffsetBytes + FooterLayout.COMMIT_MARK_OFFSET;
    file().write(offsetBytes, ByteBuffer.allocate(Long.BYTES).putLong(0, mark));
    if (medium.isPersistent()) {
      file().force();
    }
  }

  /**
   * Fails if the file system of one of them does not answer, or would write no mark; each is asked
   * once, all together.
   *
   * @param segments null where one is gone
   */
  static void checkAnswers(Collection<SegmentHandle> segments) throws IOException {
    Map<DiskThread, DiskThread.Asked<Long>> asked = new LinkedHashMap<>();
    for (SegmentHandle segment : segments) {
      if (segment instanceof DiskSegment onDisk) {
        onDisk.askOnce(asked);
      }
    }
    for (Map.Entry<DiskThread, DiskThread.Asked<Long>> answer : asked.entrySet()) {
      answer.getValue().await(answer.getKey().timeoutMs());
    }
  }

  final void readFile(long offsetBytes, ByteBuffer destination) throws IOException {
    file().read(offsetBytes, destination);
    if (destination.hasRemaining()) {
      throw endsEarly(offsetBytes, destination.capacity());
    }
  }

  final EOFException endsEarly(long offsetBytes, int lengthBytes) {
    return new EOFException(
        info.path() + " ends before " + lengthBytes + " bytes from " + offsetBytes);
  }

  /**
   * Is told which files outputs may lie in, so that a transport registers each exactly once.
   *
   * <p>Thread contract: called from any thread, never under the lock of the store, and for one
   * segment in order. Ownership: a handle is valid until {@link #segmentRemoved} returns or the
   * store is closed. Failure: what {@link #segmentAdded} throws keeps the segment out of use.
   */
  public interface SegmentListener {
    /** Listens to nothing. */
    SegmentListener NONE =
        new SegmentListener() {
          @Override
          public void segmentAdded(SegmentHandle segment) {}

          @Override
          public void segmentRemoved(SegmentHandle segment) {}
        };

    /** Before the first output in this segment can be found. */
    void segmentAdded(SegmentHandle segment);

    /** After the last output in it was freed, before its file is closed. */
    void segmentRemoved(SegmentHandle segment);
  }
}
