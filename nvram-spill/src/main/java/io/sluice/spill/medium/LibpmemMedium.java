package io.sluice.spill.medium;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
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
  public Optional<String> unavailabilityCause(Path directory) {
    Optional<String> missing = libraryCause();
    return missing.isPresent() ? missing : mapper.unavailabilityCause(directory);
  }

  @Override
  public MappedByteBuffer map(FileChannel file, long offsetBytes, int lengthBytes)
      throws IOException {
    return mapper.map(file, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(MappedByteBuffer mapping, int offsetBytes, int lengthBytes) {
    Libpmem.persist(mapping, offsetBytes, lengthBytes);
  }

  @Override
  public void write(MappedByteBuffer mapping, int offsetBytes, ByteBuffer source) {
    if (!source.isDirect()) {
      mapper.write(mapping, offsetBytes, source.duplicate());
      persist(mapping, offsetBytes, source.remaining());
    } else {
      Libpmem.copy(mapping, offsetBytes, source, source.position(), source.remaining());
    }
    source.position(source.limit());
  }

  private static Optional<String> libraryCause() {
    try {
      return Libpmem.loadFailure()
          .map(e -> "libpmem.so.1 cannot be loaded (" + e + "); install the package libpmem1");
    } catch (LinkageError e) {
      return Optional.of("JNA is not on the class path (" + e + ")");
    }
  }
}
