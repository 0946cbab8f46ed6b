package io.sluice.rdma.memory;

import com.sun.jna.LastErrorException;
import io.sluice.rdma.memory.NativeCalls.Libc;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * An open file descriptor by its number: what another process has handed over, or what is to be
 * handed over to one. Unlike a {@link NativeFile} it knows no path, and offers nothing to do with
 * it.
 *
 * <p>Thread contract: safe from any thread; whoever uses the number sees to it that nobody closes
 * it meanwhile, since the kernel gives the number to the next file that is opened. Ownership:
 * whoever holds it closes it, or gives it to somebody who does. Failure: {@link IOException} with
 * the system's own words.
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

  /** Opens what exists, and is no symbolic link. */
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

  /** Another one of the same open file, which is closed by itself. */
  public Descriptor duplicate() throws IOException {
    try {
      return new Descriptor(Libc.fcntl(number, Libc.F_DUPFD_CLOEXEC, 0));
    } catch (LastErrorException e) {
      throw NativeCalls.failure("duplicate descriptor " + number, e);
    }
  }

  /**
   * Locks the open file against everybody who opened it for himself, as {@link NativeFile#tryLock}
   * does, and for as long as this or any duplicate, in whatever process, is open; false if somebody
   * else holds the lock.
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
   * The name under which this process can ask for what it is, its kind and its length for example,
   * though it could not reach the file by its own name. Of no use once it is closed.
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
