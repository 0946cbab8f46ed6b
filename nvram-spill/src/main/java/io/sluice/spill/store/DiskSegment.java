package io.sluice.spill.store;

import io.sluice.rdma.memory.LendingReader;
import io.sluice.rdma.memory.LendingReader.LentBytes;
import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.disk.DeviceFile;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Map;
import java.util.Optional;

/**
 * An open file of the disk tier. Its bytes are read and written in their turn at the device; all
 * that may wait for the file system is done on threads of its directory, with a deadline.
 *
 * <p>Thread contract and ownership: as {@link SegmentHandle} says. Failure: {@link IOException} of
 * the file, or when the disk does not answer in time.
 */
final class DiskSegment extends SegmentHandle {
  private final SharedFile file;
  private final Medium medium;
  private final DiskThreads threads;
  private final DeviceFile deviceFile;

  /**
   * Wraps what is open.
   *
   * @param trusted whether its owner is this process's user
   * @param threads change the file, so that it need not be waited for for ever
   * @param deviceFile the same file, for what is read and written of it
   */
  DiskSegment(
      SegmentInfo info,
      Owner owner,
      boolean trusted,
      SharedFile file,
      Medium medium,
      DiskThreads threads,
      DeviceFile deviceFile) {
    super(info, owner, trusted);
    this.file = file;
    this.medium = medium;
    this.threads = threads;
    this.deviceFile = deviceFile;
  }

  @Override
  public SharedFile file() {
    return file;
  }

  @Override
  public Optional<ByteBuffer> mapping() {
    return Optional.empty();
  }

  @Override
  public Optional<LendingReader> reader() {
    return Optional.of(this::lend);
  }

  private LentBytes lend(long offsetBytes, int lengthBytes) throws IOException {
    return deviceFile.read(IoClass.READ_SEND, offsetBytes, lengthBytes);
  }

  /** Describes a range that a reader was told of, to be read ahead. */
  DeviceFile.PlannedRange plannedRange(Range range) {
    return deviceFile.plannedRange(range.offsetBytes(), range.lengthBytes());
  }

  @Override
  public Mapping part(Range range) {
    throw new IllegalStateException(info() + " is on disk");
  }

  @Override
  void atFileSystem(DiskThread.Action action) throws IOException {
    threads.files().run(action);
  }

  @Override
  void atMarks(DiskThread.Action action) throws IOException {
    threads.marks().runPatiently(action);
  }

  /** Asks its directory for an answer, unless that was asked already. */
  void askOnce(Map<DiskThread, DiskThread.Asked<Long>> asked) throws IOException {
    if (!asked.containsKey(threads.files())) {
      asked.put(threads.files(), threads.files().ask(file::lengthBytes));
      asked.put(threads.marks(), threads.marks().ask(() -> 0L));
    }
  }

  @Override
  void checkWhole() throws IOException {
    if (!isTrusted()) {
      atFileSystem(this::checkLength);
    }
  }

  @Override
  public void read(long offsetBytes, byte[] destination) throws IOException {
    readFile(offsetBytes, ByteBuffer.wrap(destination));
  }

  @Override
  void readInTurn(long offsetBytes, byte[] destination) throws IOException {
    int readBytes = deviceFile.readCached(IoClass.READ_SEND, offsetBytes, destination);
    if (readBytes < destination.length) {
      throw endsEarly(offsetBytes, destination.length);
    }
  }

  @Override
  public void copyTo(long offsetBytes, ByteBuffer destination) throws IOException {
    long atBytes = offsetBytes;
    while (destination.hasRemaining()) {
      try (LentBytes piece = lend(atBytes, destination.remaining())) {
        atBytes += piece.bytes().remaining();
        destination.put(piece.bytes());
      }
    }
  }

  @Override
  boolean isCopiedFromMapping() {
    return false;
  }

  @Override
  void writeMark(long trailerOffsetBytes, long mark) throws IOException {
    // a mark that is not as it should be costs the directory's outputs at the next start
    atMarks(() -> writeMarkToFile(medium, trailerOffsetBytes, mark));
  }

  /** Memory for what is to be written. */
  DeviceFile.Write beginWrite(IoClass ioClass, long offsetBytes, int lengthBytes)
      throws IOException {
    return deviceFile.beginWrite(ioClass, offsetBytes, lengthBytes);
  }

  /** How much of a range the file system has given no space yet. */
  long unwrittenBytes(Range range) {
    long fromBytes = Math.max(range.offsetBytes(), deviceFile.writtenBytes());
    return Math.max(0, range.endBytes() - fromBytes);
  }

  /** Returns when what was written has reached the medium. */
  void force(IoClass ioClass) throws IOException {
    deviceFile.force(ioClass);
  }

  /** Gives a new file its length, without giving it space. */
  void extendTo(long lengthBytes) throws IOException {
    file.setLength(lengthBytes);
  }

  /** Cuts the file, unless it is shorter by now. */
  void truncate(long lengthBytes) throws IOException {
    atFileSystem(
        () -> {
          if (lengthBytes < lengthBytes()) { // one thread does this, so it stays true
            file.setLength(lengthBytes);
            hasLength(lengthBytes);
          }
        });
  }

  /** Closes and deletes the file. */
  void delete() throws IOException {
    atFileSystem(
        () -> {
          close();
          Files.deleteIfExists(info().path()); // a cleaner may have been there
        });
  }

  /** The same for what nobody will try to delete again: it happens when the disk answers. */
  void deleteSometime() throws IOException {
    threads.files().runSometime(this::delete);
  }

  @Override
  public void close() throws IOException {
    deviceFile.close();
    threads.files().runSometime(file::close);
  }
}
