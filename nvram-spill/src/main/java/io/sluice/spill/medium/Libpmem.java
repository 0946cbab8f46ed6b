package io.sluice.spill.medium;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * The two functions of libpmem that {@link LibpmemMedium} needs. Loaded on first use; where the
 * library or JNA is absent only {@link #loadFailure} may be called.
 *
 * <p>Thread contract: safe from any thread.
 */
final class Libpmem {
  private static final Throwable LOAD_FAILURE = load();

  private Libpmem() {}

  /** Why the library cannot be used; empty if it can. */
  static Optional<Throwable> loadFailure() {
    return Optional.ofNullable(LOAD_FAILURE);
  }

  /** Flushes a range of a direct buffer out of the CPU's caches and waits for it. */
  static void persist(ByteBuffer buffer, int offsetBytes, int lengthBytes) {
    pmem_persist(address(buffer, offsetBytes), lengthBytes);
  }

  /** Copies between direct buffers past the CPU's caches and waits for it. */
  static void copy(
      ByteBuffer to, int toOffsetBytes, ByteBuffer from, int fromOffsetBytes, int lengthBytes) {
    pmem_memcpy_persist(address(to, toOffsetBytes), address(from, fromOffsetBytes), lengthBytes);
  }

  private static Pointer address(ByteBuffer buffer, int offsetBytes) {
    return Native.getDirectBufferPointer(buffer).share(offsetBytes);
  }

  private static Throwable load() {
    try {
      Native.register(Libpmem.class, "libpmem.so.1");
      return null;
    } catch (LinkageError | RuntimeException e) {
      return e;
    }
  }

  private static native void pmem_persist(Pointer address, long lengthBytes);

  private static native Pointer pmem_memcpy_persist(Pointer to, Pointer from, long lengthBytes);
}
