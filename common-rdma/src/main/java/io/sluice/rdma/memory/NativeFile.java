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
 * An open file or device that the JDK cannot map. On hugetlbfs, offset and length must be multiples
 * of the huge page. A device-DAX has no length that {@code FileChannel.map} accepts. A descriptor
 * from another process cannot become a channel of the JDK.
 *
 * <p>Thread contract: one thread at a time, except for reads, which may run in parallel. Ownership:
 * the opener closes it, after the last read; mappings outlive it, the lock does not. Failure:
 * {@link IOException} with the system's text; {@link #unavailabilityCause} tells in advance whether
 * native calls work.
 */
public final class NativeFile implements Closeable {
  /** The most bytes of one read. */
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

  /** Why native calls do not work in this process; empty if they work. */
  public static Optional<String> unavailabilityCause() {
    return NativeCalls.unavailabilityCause();
  }

  /**
   * Opens a file that exists and is no symbolic link.
   *
   * @param unitBytes offset and length of a mapping must be multiples of it; a power of two
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
   * Takes over an open descriptor, which {@link #close} closes.
   *
   * @param name its name in messages; this process need not be able to open it
   * @param writable whether it was opened for writing
   */
  public static NativeFile of(Descriptor descriptor, Path name, int unitBytes, boolean writable) {
    return new NativeFile(name, unitBytes, writable, descriptor);
  }

  /** The length of the file now. */
  public long lengthBytes() throws IOException {
    return Files.size(descriptor.self());
  }

  /** Reads into {@code into} up to the end of the file; returns the number of bytes. */
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

  /** Whether the buffer is a whole array; JNA copies arrays as a whole. */
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
   * Allocates the space of a range, zeroed, and sets the file's length. Later accesses then cannot
   * run out of memory, which the kernel would report with SIGBUS, the end of the process.
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
   * Locks the file until this is closed. It uses {@code flock(2)}, because a lock of {@code
   * fcntl(2)} would be lost as soon as this process closes any other descriptor of the file.
   *
   * @return false if another open file has the lock
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
