package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An open segment of the memory tier: a mapping of all of it, and the file where that can be read.
 * On huge pages and devices there is the mapping alone.
 *
 * <p>The owner of a file may cut it while it is open there, and the kernel kills a process that
 * touches a mapping of bytes that were cut. So the mapping of another user's segment is for devices
 * alone: everything here goes through the file, which ends early then.
 *
 * <p>Thread contract, ownership and failure: as {@link SegmentHandle} says.
 */
final class MemorySegment extends SegmentHandle {
  private final ReadWriteLock open = new ReentrantReadWriteLock(); // copies hold it for reading
  private final SharedFile file;
  private final Mapping mapping;
  private final Medium medium;
  private volatile boolean closed;

  /**
   * Wraps what is open.
   *
   * @param trusted whether its owner is this process's user, which could harm the process anyway
   * @param file null if the segment lies on huge pages or a device, which cannot be read as a file
   */
  MemorySegment(
      SegmentInfo info,
      Owner owner,
      boolean trusted,
      SharedFile file,
      Mapping mapping,
      Medium medium) {
    super(info, owner, trusted);
    this.file = file;
    this.mapping = mapping;
    this.medium = medium;
  }

  @Override
  public SharedFile file() {
    return file;
  }

  @Override
  public Optional<ByteBuffer> mapping() {
    return Optional.ofNullable(mapping).map(Mapping::buffer);
  }

  @Override
  public Optional<LendingReader> reader() {
    return Optional.empty();
  }

  @Override
  public Mapping part(Range range) {
    if (!isTrusted()) {
      throw new IllegalStateException(info() + " is user id " + owner() + "'s");
    }
    return mapping.part((int) range.offsetBytes(), (int) range.lengthBytes());
  }

  @Override
  void checkWhole() throws IOException {
    if (!isTrusted()) {
      checkLength();
    }
  }

  @Override
  public void read(long offsetBytes, byte[] destination) throws IOException {
    if (isMappedOnly()) {
      readMapping(offsetBytes, destination);
    } else {
      readFile(offsetBytes, ByteBuffer.wrap(destination));
    }
  }

  @Override
  void readInTurn(long offsetBytes, byte[] destination) throws IOException {
    read(offsetBytes, destination);
  }

  @Override
  public void copyTo(long offsetBytes, ByteBuffer destination) throws IOException {
    if (isTrusted()) {
      whileMapped(
          () ->
              destination.put(
                  mapping.buffer().slice(Math.toIntExact(offsetBytes), destination.remaining())));
    } else {
      readFile(offsetBytes, destination);
    }
  }

  @Override
  boolean isCopiedFromMapping() {
    return isTrusted(); // else somebody may cut the file below the mapping
  }

  private boolean isMappedOnly() {
    return info().mapUnitBytes() != SegmentInfo.MAPPED_BY_JDK;
  }

  private void readMapping(long offsetBytes, byte[] destination) throws IOException {
    if (offsetBytes + destination.length > lengthBytes()) {
      throw new EOFException(
          info() + " ends before " + destination.length + " bytes from " + offsetBytes);
    }
    whileMapped(() -> mapping.buffer().get((int) offsetBytes, destination));
  }

  /** Under the lock of {@link #close}, because the mapping must not go away meanwhile. */
  private void whileMapped(Runnable copy) throws IOException {
    open.readLock().lock();
    try {
      if (closed) {
        throw new ClosedChannelException();
      }
      copy.run();
    } finally {
      open.readLock().unlock();
    }
  }

  @Override
  void writeMark(long trailerOffsetBytes, long mark) throws IOException {
    if (!isTrusted()) {
      writeMarkToFile(medium, trailerOffsetBytes, mark);
      return;
    }
    int offsetBytes = Math.toIntExact(trailerOffsetBytes + FooterLayout.COMMIT_MARK_OFFSET);
    mapping.buffer().putLong(offsetBytes, mark);
    medium.persist(mapping, offsetBytes, Long.BYTES);
  }

  @Override
  public void close() throws IOException {
    open.writeLock().lock();
    try {
      closed = true;
      Closer.all(mapping, file);
    } finally {
      open.writeLock().unlock();
    }
  }
}
