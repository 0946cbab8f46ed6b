package io.sluice.spill.medium;

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
 * <p>As libpmem does, it takes any mapping for persistent memory when the environment says {@code
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
}
