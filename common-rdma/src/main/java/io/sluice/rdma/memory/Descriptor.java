package io.sluice.rdma.memory;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.NativeCalls.Libc;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open file descriptor, by its number, that passes between processes. Unlike a {@link
 * NativeFile} it has no path, and cannot be read or mapped.
 *
 * <p>Thread contract: safe from any thread; a user of the number ensures that no thread closes it
 * meanwhile, because the kernel gives the number to the next file that is opened. Ownership: the
 * holder closes it or passes it on. Failure: {@link IOException} with the system's own words.
 */
public final class Descriptor implements Closeable {
  private final int number;
  private final AtomicBoolean closed = new AtomicBoolean();

  private Descriptor(int number) {
    this.number = number;
  }

  /** Takes over an open descriptor. */
  public static Descriptor of(int number) {
    return new Descriptor(number);
  }

  /** Opens a file that exists and is no symbolic link. */
  public static Descriptor open(Path path, boolean writable) throws IOException {
    Optional<String> cause = NativeCalls.unavailabilityCause();
    if (cause.isPresent()) {
      throw new IOException("cannot open " + path + ": " + cause.get());
    }
    try {
      int flags = (writable ? Libc.O_RDWR : Libc.O_RDONLY) | Libc.O_CLOEXEC | Libc.O_NOFOLLOW;
      return new Descriptor(Libc.open(path.toString(), flags));
    } catch (LastErrorException e) {
      throw NativeCalls.failure("open " + path, e);
    }
  }

  /** Another descriptor of the same open file; the caller closes it separately. */
  public Descriptor duplicate() throws IOException {
    try {
      return new Descriptor(Libc.fcntl(number, Libc.F_DUPFD_CLOEXEC, 0));
    } catch (LastErrorException e) {
      throw NativeCalls.failure("duplicate descriptor " + number, e);
    }
  }

  /**
   * Locks the open file, as {@link NativeFile#tryLock} does, against all that opened it separately.
   * The lock lasts until this descriptor and its duplicates, in all processes, are closed.
   *
   * @return false if another open file has the lock
   */
  public boolean tryLock() throws IOException {
    try {
      Libc.flock(number, Libc.LOCK_EX | Libc.LOCK_NB);
      return true;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == Libc.EWOULDBLOCK) {
        return false;
      }
      throw NativeCalls.failure("lock descriptor " + number, e);
    }
  }

  /** Its number, for system calls. */
  public int number() {
    return number;
  }

  /**
   * A path by which this process can query the file, its kind and length for example, even if it
   * may not reach the file by its own path. Useless once this is closed.
   */
  public Path self() {
    return Path.of("/proc/self/fd", Integer.toString(number));
  }

  /** Whether it was closed. */
  public boolean isClosed() {
    return closed.get();
  }

  /** Closes it; idempotent. */
  @Override
  public void close() throws IOException {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    try {
      Libc.close(number);
    } catch (LastErrorException e) {
      throw NativeCalls.failure("close descriptor " + number, e);
    }
  }

  @Override
  public String toString() {
    return "descriptor " + number;
  }
}
