package io.sluice.rdma.memory;

import com.sun.jna.LastErrorException;
import com.sun.jna.Pointer;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An open file or device that the JDK cannot map: on hugetlbfs offset and length must be multiples
 * of the huge page, and a device-DAX has no length that {@code FileChannel.map} would believe.
 *
 * <p>Thread contract: one thread at a time. Ownership: the opener closes it; mappings outlive it,
 * the lock does not. Failure: {@link IOException} with the system's own words; {@link
 * #unavailabilityCause} says before whether native calls work at all.
 */
public final class NativeFile implements Closeable {
  private final Path path;
  private final int unitBytes;
  private final boolean writable;
  private final int descriptor;
  private boolean closed;

  private NativeFile(Path path, int unitBytes, boolean writable, int descriptor) {
    this.path = path;
    this.unitBytes = unitBytes;
    this.writable = writable;
    this.descriptor = descriptor;
  }

  /** Why nothing here works in this process; empty if it does. */
  public static Optional<String> unavailabilityCause() {
    try {
      return Libc.loadFailure()
          .map(e -> "native calls do not work (" + e + "); is java.io.tmpdir mounted noexec?");
    } catch (LinkageError e) {
      return Optional.of("JNA is not on the class path (" + e + ")");
    }
  }

  /**
   * Opens what exists, and is no symbolic link.
   *
   * @param unitBytes what offset and length of a mapping have to be multiples of, a power of two
   */
  public static NativeFile open(Path path, int unitBytes, boolean writable) throws IOException {
    Optional<String> cause = unavailabilityCause();
    if (cause.isPresent()) {
      throw new IOException("cannot open " + path + ": " + cause.get());
    }
    if (Integer.bitCount(unitBytes) != 1) {
      throw new IllegalArgumentException("unit " + unitBytes + " is not a power of two");
    }
    try {
      int flags = (writable ? Libc.O_RDWR : Libc.O_RDONLY) | Libc.O_CLOEXEC | Libc.O_NOFOLLOW;
      return new NativeFile(path, unitBytes, writable, Libc.open(path.toString(), flags));
    } catch (LastErrorException e) {
      throw failure("open " + path, e);
    }
  }

  /** Maps at least this range, shared, and shows exactly this range. */
  public Mapping map(long offsetBytes, int lengthBytes) throws IOException {
    if (offsetBytes < 0 || lengthBytes <= 0) {
      throw new IllegalArgumentException(
          "cannot map " + lengthBytes + " bytes at " + offsetBytes + " of " + path);
    }
    long startBytes = offsetBytes & -unitBytes;
    long mappedBytes = ((offsetBytes + lengthBytes + unitBytes - 1) & -unitBytes) - startBytes;
    int protection = writable ? Libc.PROT_READ | Libc.PROT_WRITE : Libc.PROT_READ;
    Pointer start;
    try {
      start = Libc.mmap(null, mappedBytes, protection, Libc.MAP_SHARED, descriptor, startBytes);
    } catch (LastErrorException e) {
      throw failure("map " + mappedBytes + " bytes at " + startBytes + " of " + path, e);
    }
    OffHeap.countMapped(mappedBytes);
    return new Mapping(
        start.getByteBuffer(offsetBytes - startBytes, lengthBytes).order(ByteOrder.BIG_ENDIAN),
        () -> unmap(start, mappedBytes));
  }

  /**
   * Gives a range of the file its space, zeroed, and the file its length; an access to it never
   * meets a lack of memory, which the kernel reports by killing the process (SIGBUS).
   */
  public void allocate(long offsetBytes, long lengthBytes) throws IOException {
    try {
      Libc.fallocate(descriptor, 0, offsetBytes, lengthBytes);
    } catch (LastErrorException e) {
      throw failure("allocate " + lengthBytes + " bytes at " + offsetBytes + " of " + path, e);
    }
  }

  /**
   * Locks it against everybody else who does so, until it is closed; false if somebody else holds
   * the lock. The lock is one of {@code flock(2)}, because one of {@code fcntl(2)} would be lost as
   * soon as this process closes any other descriptor of the same file.
   */
  public boolean tryLock() throws IOException {
    try {
      Libc.flock(descriptor, Libc.LOCK_EX | Libc.LOCK_NB);
      return true;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == Libc.EWOULDBLOCK) {
        return false;
      }
      throw failure("lock " + path, e);
    }
  }

  /** Closes the descriptor; idempotent. */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      Libc.close(descriptor);
    } catch (LastErrorException e) {
      throw failure("close " + path, e);
    }
  }

  private static void unmap(Pointer start, long mappedBytes) {
    Libc.munmap(start, mappedBytes);
    OffHeap.countMapped(-mappedBytes);
  }

  private static IOException failure(String what, LastErrorException e) {
    return new IOException("cannot " + what + ": " + e.getMessage(), e);
  }
}
