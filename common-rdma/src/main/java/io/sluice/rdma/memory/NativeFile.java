package io.sluice.rdma.memory;

import com.sun.jna.LastErrorException;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.NativeCalls.Libc;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An open file or device that the JDK cannot map: on hugetlbfs offset and length must be multiples
 * of the huge page, and a device-DAX has no length that {@code FileChannel.map} would believe. Or
 * it was handed over by another process, and the JDK makes no channel of a descriptor.
 *
 * <p>Thread contract: one thread at a time, but for reads, which run side by side. Ownership: the
 * opener closes it, after the last read; mappings outlive it, the lock does not. Failure: {@link
 * IOException} with the system's own words; {@link #unavailabilityCause} says before whether native
 * calls work at all.
 */
public final class NativeFile implements Closeable {
  /** Of one read. */
  private static final int COPY_BYTES = 64 << 10;

  private final Path path;
  private final int unitBytes;
  private final boolean writable;
  private final Descriptor descriptor;

  private NativeFile(Path path, int unitBytes, boolean writable, Descriptor descriptor) {
    if (Integer.bitCount(unitBytes) != 1) {
      throw new IllegalArgumentException("unit " + unitBytes + " is not a power of two");
    }
    this.path = path;
    this.unitBytes = unitBytes;
    this.writable = writable;
    this.descriptor = descriptor;
  }

  /** Why nothing here works in this process; empty if it does. */
  public static Optional<String> unavailabilityCause() {
    return NativeCalls.unavailabilityCause();
  }

  /**
   * Opens what exists, and is no symbolic link.
   *
   * @param unitBytes what offset and length of a mapping have to be multiples of, a power of two
   */
  public static NativeFile open(Path path, int unitBytes, boolean writable) throws IOException {
    Descriptor descriptor = Descriptor.open(path, writable);
    try {
      return of(descriptor, path, unitBytes, writable);
    } catch (IllegalArgumentException e) {
      descriptor.close();
      throw e;
    }
  }

  /**
   * Takes over an open descriptor, which it closes.
   *
   * @param name what to call it in messages; it need not be reachable by this process
   * @param writable whether it was opened for writing
   */
  public static NativeFile of(Descriptor descriptor, Path name, int unitBytes, boolean writable) {
    return new NativeFile(name, unitBytes, writable, descriptor);
  }

  /** How long the file is now. */
  public long lengthBytes() throws IOException {
    return Files.size(descriptor.self());
  }

  /** Fills {@code into} as far as the file goes; returns how many bytes that were. */
  public int read(long offsetBytes, ByteBuffer into) throws IOException {
    int startPosition = into.position();
    while (into.hasRemaining()) {
      boolean inPlace = isShortArray(into);
      byte[] some = inPlace ? into.array() : new byte[Math.min(COPY_BYTES, into.remaining())];
      long n;
      try {
        long fromBytes = offsetBytes + into.position() - startPosition;
        n = Libc.pread(descriptor.number(), some, some.length, fromBytes);
      } catch (LastErrorException e) {
        throw NativeCalls.failure("read " + path, e);
      }
      if (n == 0) {
        break;
      }
      if (inPlace) {
        into.position((int) n);
      } else {
        into.put(some, 0, (int) n);
      }
    }
    return into.position() - startPosition;
  }

  /** Whether all of an array remains: JNA copies arrays whole, whatever is read into them. */
  private static boolean isShortArray(ByteBuffer into) {
    return into.hasArray()
        && into.remaining() == into.array().length
        && into.remaining() <= COPY_BYTES;
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
      start =
          Libc.mmap(
              null, mappedBytes, protection, Libc.MAP_SHARED, descriptor.number(), startBytes);
    } catch (LastErrorException e) {
      throw NativeCalls.failure(
          "map " + mappedBytes + " bytes at " + startBytes + " of " + path, e);
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
      Libc.fallocate(descriptor.number(), 0, offsetBytes, lengthBytes);
    } catch (LastErrorException e) {
      throw NativeCalls.failure(
          "allocate " + lengthBytes + " bytes at " + offsetBytes + " of " + path, e);
    }
  }

  /**
   * Locks it against everybody else who does so, until it is closed; false if somebody else holds
   * the lock. The lock is one of {@code flock(2)}, because one of {@code fcntl(2)} would be lost as
   * soon as this process closes any other descriptor of the same file.
   */
  public boolean tryLock() throws IOException {
    try {
      Libc.flock(descriptor.number(), Libc.LOCK_EX | Libc.LOCK_NB);
      return true;
    } catch (LastErrorException e) {
      if (e.getErrorCode() == Libc.EWOULDBLOCK) {
        return false;
      }
      throw NativeCalls.failure("lock " + path, e);
    }
  }

  /** Closes the descriptor; idempotent. */
  @Override
  public void close() throws IOException {
    descriptor.close();
  }

  private static void unmap(Pointer start, long mappedBytes) {
    Libc.munmap(start, mappedBytes);
    OffHeap.countMapped(-mappedBytes);
  }
}
