package io.sluice.node.socket;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.Descriptor;
import java.io.Closeable;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A task's lock on the record of its lease, which says that it lives: the kernel drops it when the
 * process ends, however it does, and not while it is stopped.
 *
 * <p>It is a lock of {@code fcntl(2)}, for which a task needs no native library; it would be lost
 * if this process closed any other descriptor of the file, and there is none. The channel under it
 * is used for locking alone, which is not interruptible.
 *
 * <p>Thread contract: one thread at a time. Ownership: {@link SocketClient} closes it, when the
 * task no longer writes. Failure: {@link IOException} if the file cannot be locked; the lease is
 * then of no use. A service that could not write a record has none; then nothing is locked.
 */
final class LeaseLock implements Closeable {
  /** First word of a record whose lock was sent to the task. */
  static final long HELD_BY_DESCRIPTOR = 2;

  /** First word of a record whose lock the task has taken. */
  static final long HELD = 1;

  private final RandomAccessFile file;

  /** State of a record's task. */
  enum State {
    /** It holds the lock. */
    LIVING,
    /** It never did, or has not yet: nothing is known. */
    UNSAID,
    /** It has held it and does not any more. */
    GONE
  }

  private LeaseLock(RandomAccessFile file) {
    this.file = file;
  }

  /** Takes the lock on the record at {@code path}, of a new lease; empty if there is none. */
  static Optional<LeaseLock> take(Path path) throws IOException {
    RandomAccessFile file;
    try {
      file = open(path);
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
    try {
      if (file.getChannel().tryLock() == null) {
        throw new IOException("the lease " + path + " is held by somebody else");
      }
      file.writeLong(HELD);
      return Optional.of(new LeaseLock(file));
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, file);
      throw e;
    }
  }

  /** The state of the record at {@code path} now. */
  static State stateOf(Path path) throws IOException {
    try (RandomAccessFile file = open(path)) {
      if (file.readLong() == HELD_BY_DESCRIPTOR) {
        return stateOfDescriptor(path);
      }
      file.seek(0);
      FileLock lock = file.getChannel().tryLock();
      if (lock == null) {
        return State.LIVING;
      }
      return file.readLong() == HELD ? State.GONE : State.UNSAID;
    } catch (OverlappingFileLockException e) {
      return State.LIVING; // a task in this very process
    } catch (NoSuchFileException e) {
      return State.UNSAID; // somebody has deleted it
    }
  }

  /** Where native calls do not work this cannot be known, and {@link IOException} says so. */
  private static State stateOfDescriptor(Path path) throws IOException {
    try (Descriptor mine = Descriptor.open(path, false)) {
      return mine.tryLock() ? State.GONE : State.LIVING;
    }
  }

  private static RandomAccessFile open(Path path) throws IOException {
    if (!Files.isRegularFile(path)) { // "rw" would create it
      throw new NoSuchFileException(path.toString());
    }
    return new RandomAccessFile(path.toFile(), "rw");
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}
