package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.ByteSource;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.file.Files;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * An open segment in the process of the store: the file, where there is one that can be read, and
 * for the memory tier a mapping of the whole segment, for a transport to register.
 *
 * <p>The owner of a file may cut it while he has it open, and whoever touches a mapping of what was
 * cut is killed. So of segments of other users than this process's the mapping is for devices
 * alone: everything here goes through the file, which ends early then.
 *
 * <p>Thread contract: safe from any thread. Ownership: the store closes it; nobody else does, and
 * nobody accesses the mapping after {@link SpillStore#close} or {@link
 * SegmentListener#segmentRemoved}.
 */
public final class SegmentHandle implements ByteSource, Closeable {
  private final Owner owner;
  private final boolean trusted;
  private volatile SegmentInfo info;
  private volatile boolean closed;
  private final ReadWriteLock open = new ReentrantReadWriteLock(); // copies hold it for reading
  private final SharedFile file;
  private final Mapping mapping;
  private final Medium medium;
  private final DiskThreads threads; // null on the memory tier, as the next one
  private final DeviceFile deviceFile;

  /**
   * Wraps what is open of the memory tier.
   *
   * @param trusted whether its owner is this process's user, who could harm it anyway
   * @param file null if the segment lies on huge pages or a device, which cannot be read as a file
   */
  SegmentHandle(
      SegmentInfo info,
      Owner owner,
      boolean trusted,
      SharedFile file,
      Mapping mapping,
      Medium medium) {
    this(info, owner, trusted, file, mapping, medium, null, null);
  }

  /**
   * Wraps what is open of the disk tier.
   *
   * @param trusted whether its owner is this process's user
   * @param threads change the file, so that it need not be waited for for ever
   * @param deviceFile the same file, for what is read and written of it
   */
  SegmentHandle(
      SegmentInfo info,
      Owner owner,
      boolean trusted,
      SharedFile file,
      Medium medium,
      DiskThreads threads,
      DeviceFile deviceFile) {
    this(info, owner, trusted, file, null, medium, threads, deviceFile);
  }

  private SegmentHandle(
      SegmentInfo info,
      Owner owner,
      boolean trusted,
      SharedFile file,
      Mapping mapping,
      Medium medium,
      DiskThreads threads,
      DeviceFile deviceFile) {
    this.info = info;
    this.owner = owner;
    this.trusted = trusted;
    this.file = file;
    this.mapping = mapping;
    this.medium = medium;
    this.threads = threads;
    this.deviceFile = deviceFile;
  }

  /** Does what may have to wait for the file system: on the disk tier with a deadline. */
  void atFileSystem(DiskThread.Action action) throws IOException {
    if (threads == null) {
      action.run();
    } else {
      threads.files().run(action);
    }
  }

  /**
   * The same where marks are written, which does not queue behind other files: with all of the
   * deadline, whatever else hangs, since a failure is for good.
   */
  void atMarks(DiskThread.Action action) throws IOException {
    if (threads == null) {
      action.run();
    } else {
      threads.marks().runPatiently(action);
    }
  }

  /** Id, path and length; a file of the disk tier gets shorter while its lease is open. */
  public SegmentInfo info() {
    return info;
  }

  /** Whose bytes it holds, for as long as it is open. */
  public Owner owner() {
    return owner;
  }

  /** Whether the owner is this process's user; any other may do with the file what he likes. */
  boolean isTrusted() {
    return trusted;
  }

  /** Whether the file has the length that it was given. */
  boolean isWhole() throws IOException {
    return trusted || file.lengthBytes() == info.lengthBytes();
  }

  /**
   * Cuts what its owner has added, before others rely on it.
   *
   * @throws CorruptOutputException if he has cut it
   */
  void checkWhole() throws IOException {
    if (trusted) {
      return;
    }
    atFileSystem(
        () -> {
          long lengthBytes = file.lengthBytes();
          if (lengthBytes < info.lengthBytes()) {
            throw new CorruptOutputException(
                info + " was cut by its owner, to " + lengthBytes + " bytes");
          }
          if (lengthBytes > info.lengthBytes()) {
            file.setLength(info.lengthBytes());
          }
        });
  }

  /**
   * The open file, for transports that serve from it where it is one of the memory tier; null if
   * the segment cannot be read as a file and has to be served from its mapping.
   */
  public SharedFile file() {
    return file;
  }

  /**
   * The whole segment mapped for reading and writing; empty on the disk tier. For devices alone,
   * unless its owner is this process's user.
   */
  public Optional<ByteBuffer> mapping() {
    return Optional.ofNullable(mapping).map(Mapping::buffer);
  }

  /** Reads it in its turn, for transports; empty on the memory tier. */
  public Optional<LendingReader> reader() {
    return deviceFile == null ? Optional.empty() : Optional.of(this::lend);
  }

  /** What a reader is told of it, to be read ahead; empty on the memory tier. */
  Optional<DeviceFile.Told> told(Range range) {
    return Optional.ofNullable(deviceFile)
        .map(file -> file.told(range.offsetBytes(), range.lengthBytes()));
  }

  private LentBytes lend(long offsetBytes, int lengthBytes) throws IOException {
    return deviceFile.read(IoClass.READ_SEND, offsetBytes, lengthBytes);
  }

  /**
   * A part of the memory tier's mapping, for a writer in this process that has leased it; not to be
   * used after the segment was closed.
   *
   * @throws IllegalStateException if it is another user's
   */
  public Mapping part(Range range) {
    if (!trusted) {
      throw new IllegalStateException(info + " is user id " + owner + "'s");
    }
    return mapping.part((int) range.offsetBytes(), (int) range.lengthBytes());
  }

  @Override
  public long lengthBytes() {
    return info.lengthBytes();
  }

  @Override
  public void read(long offsetBytes, byte[] destination) throws IOException {
    if (isMappedOnly()) {
      readMapping(offsetBytes, destination);
    } else {
      readFile(offsetBytes, ByteBuffer.wrap(destination));
    }
  }

  /** The same, but on the disk tier in its turn at the device, which has a deadline. */
  void readInTurn(long offsetBytes, byte[] destination) throws IOException {
    if (deviceFile == null) {
      read(offsetBytes, destination);
      return;
    }
    int readBytes = deviceFile.readCached(IoClass.READ_SEND, offsetBytes, destination);
    if (readBytes < destination.length) {
      throw endsEarly(offsetBytes, destination.length);
    }
  }

  /** What reads like that. */
  ByteSource inTurn() {
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

  /**
   * Fills {@code destination}, whose position is 0, from the mapping, or from the file where there
   * is none to be touched.
   */
  public void copyTo(long offsetBytes, ByteBuffer destination) throws IOException {
    if (isTouchable()) {
      whileMapped(
          () ->
              destination.put(
                  mapping.buffer().slice(Math.toIntExact(offsetBytes), destination.remaining())));
    } else if (deviceFile == null) {
      readFile(offsetBytes, destination);
    } else {
      readDevice(offsetBytes, destination);
    }
  }

  /** Whether {@link #copyTo} takes no lock of the file and no call of the system. */
  boolean isCopiedFromMapping() {
    return isTouchable();
  }

  /** Whether its memory may be touched: nobody else can shorten the file below it. */
  private boolean isTouchable() {
    return mapping != null && trusted;
  }

  private void readDevice(long offsetBytes, ByteBuffer destination) throws IOException {
    long atBytes = offsetBytes;
    while (destination.hasRemaining()) {
      try (LentBytes piece = lend(atBytes, destination.remaining())) {
        atBytes += piece.bytes().remaining();
        destination.put(piece.bytes());
      }
    }
  }

  private void readFile(long offsetBytes, ByteBuffer destination) throws IOException {
    file.read(offsetBytes, destination);
    if (destination.hasRemaining()) {
      throw endsEarly(offsetBytes, destination.capacity());
    }
  }

  private EOFException endsEarly(long offsetBytes, int lengthBytes) {
    return new EOFException(
        info.path() + " ends before " + lengthBytes + " bytes from " + offsetBytes);
  }

  private boolean isMappedOnly() {
    return info.mapUnitBytes() != SegmentInfo.MAPPED_BY_JDK;
  }

  private void readMapping(long offsetBytes, byte[] destination) throws IOException {
    if (offsetBytes + destination.length > info.lengthBytes()) {
      throw new EOFException(
          info + " ends before " + destination.length + " bytes from " + offsetBytes);
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

  Range range() {
    return new Range(info.segmentId(), 0, info.lengthBytes());
  }

  Extent extent(Range range) {
    return new Extent(info, range.offsetBytes(), range.lengthBytes());
  }

  /** Cuts a file of the disk tier, unless it is shorter by now. */
  void truncate(long lengthBytes) throws IOException {
    atFileSystem(
        () -> {
          if (lengthBytes < info.lengthBytes()) { // one thread does this, so it stays true
            file.setLength(lengthBytes);
            info = info.withLength(lengthBytes);
          }
        });
  }

  /** Writes the commit mark of a trailer, after everything it vouches for. */
  void writeMark(long trailerOffsetBytes, long mark) throws IOException {
    long offsetBytes = trailerOffsetBytes + FooterLayout.COMMIT_MARK_OFFSET;
    if (isTouchable()) {
      mapping.buffer().putLong(Math.toIntExact(offsetBytes), mark);
      medium.persist(mapping, Math.toIntExact(offsetBytes), Long.BYTES);
      return;
    }
    DiskThread.Action write =
        () -> {
          file.write(offsetBytes, ByteBuffer.allocate(Long.BYTES).putLong(0, mark));
          if (medium.isPersistent()) {
            file.force();
          }
        };
    atMarks(write); // what is not marked as it should be is lost at the next start
  }

  /** Memory for what is to be written to a file of the disk tier. */
  DeviceFile.Write beginWrite(IoClass ioClass, long offsetBytes, int lengthBytes)
      throws IOException {
    return deviceFile.beginWrite(ioClass, offsetBytes, lengthBytes);
  }

  /** How much of a range of a file of the disk tier its file system has given no space yet. */
  long unwrittenBytes(Range range) {
    long fromBytes = Math.max(range.offsetBytes(), deviceFile.writtenBytes());
    return Math.max(0, range.endBytes() - fromBytes);
  }

  /** Returns when what was written to a file of the disk tier has reached the medium. */
  void force(IoClass ioClass) throws IOException {
    deviceFile.force(ioClass);
  }

  /** Gives a new file its length, without giving it space. */
  void extendTo(long lengthBytes) throws IOException {
    file.setLength(lengthBytes);
  }

  /** Closes and deletes a file of the disk tier. */
  void delete() throws IOException {
    atFileSystem(
        () -> {
          close();
          Files.deleteIfExists(info.path()); // a cleaner may have been there
        });
  }

  /** The same for what nobody will try to delete again: it happens when the disk answers. */
  void deleteSometime() throws IOException {
    threads.files().runSometime(this::delete);
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
      DiskThreads threads = segment == null ? null : segment.threads;
      if (threads != null && !asked.containsKey(threads.files())) {
        asked.put(threads.files(), threads.files().ask(segment.file::lengthBytes));
        asked.put(threads.marks(), threads.marks().ask(() -> 0L));
      }
    }
    for (Map.Entry<DiskThread, DiskThread.Asked<Long>> answer : asked.entrySet()) {
      answer.getValue().await(answer.getKey().timeoutMs());
    }
  }

  @Override
  public void close() throws IOException {
    if (threads != null) {
      deviceFile.close();
      threads.files().runSometime(file::close);
      return;
    }
    open.writeLock().lock();
    try {
      closed = true;
      Closer.all(mapping, file);
    } finally {
      open.writeLock().unlock();
    }
  }
}
