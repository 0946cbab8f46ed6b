package io.sluice.spill.medium;

import com.sun.jna.Native;
import com.sun.jna.Pointer;
import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Non-volatile memory through libpmem, which copies past the CPU's caches: unlike {@link
 * SyncMedium}, which stores through them and flushes afterwards, it reads no cache line that it
 * overwrites.
 *
 * <p>As libpmem does, it treats any mapping as persistent memory if the environment has {@code
 * PMEM_IS_PMEM_FORCE=1}; that is for tests.
 *
 * <p>Thread contract: stateless. Failure: an absent library is a cause of unavailability, never an
 * error.
 */
public final class LibpmemMedium implements Medium {
  private static final boolean FORCED = "1".equals(System.getenv("PMEM_IS_PMEM_FORCE"));

  private final Medium mapper = FORCED ? new PlainMedium() : new SyncMedium();

  @Override
  public String name() {
    return "libpmem";
  }

  @Override
  public boolean isPersistent() {
    return true;
  }

  @Override
  public boolean isStoredDirectly() {
    return false;
  }

  @Override
  public Optional<String> unavailabilityCause(Path pool) {
    Optional<String> missing = libraryCause();
    return missing.isPresent() ? missing : mapper.unavailabilityCause(pool);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return mapper.map(file, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    Libpmem.persist(mapping.buffer(), offsetBytes, lengthBytes);
  }

  @Override
  public void write(Mapping mapping, int offsetBytes, ByteBuffer source) {
    if (!source.isDirect()) {
      mapper.write(mapping, offsetBytes, source.duplicate());
      persist(mapping, offsetBytes, source.remaining());
    } else {
      Libpmem.copy(mapping.buffer(), offsetBytes, source, source.position(), source.remaining());
    }
    source.position(source.limit());
  }

  /** Why libpmem cannot be called; empty if it can. */
  static Optional<String> libraryCause() {
    try {
      return Libpmem.loadFailure()
          .map(e -> "libpmem.so.1 cannot be loaded (" + e + "); install the package libpmem1");
    } catch (LinkageError e) {
      return Optional.of("JNA is not on the class path (" + e + ")");
    }
  }

  /**
   * The two functions of libpmem that {@link LibpmemMedium} needs, loaded on first use. If the
   * library or JNA is absent, only {@link #loadFailure} may be called.
   *
   * <p>Thread contract: safe from any thread.
   */
  static final class Libpmem {
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
      } catch (RuntimeException | Error e) {
        return e;
      }
    }

    private static native void pmem_persist(Pointer address, long lengthBytes);

    private static native Pointer pmem_memcpy_persist(Pointer to, Pointer from, long lengthBytes);
  }
}
