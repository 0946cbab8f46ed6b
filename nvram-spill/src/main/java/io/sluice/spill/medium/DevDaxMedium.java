package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Non-volatile memory as a device: stored to like {@link SyncMedium}, but flushed by libpmem,
 * because the JDK flushes only what it has mapped itself.
 *
 * <p>Thread contract: stateless. Failure: an absent library is a cause of unavailability, never an
 * error.
 */
public final class DevDaxMedium implements Medium {
  @Override
  public String name() {
    return "devdax";
  }

  @Override
  public boolean isPersistent() {
    return true;
  }

  @Override
  public boolean isStoredDirectly() {
    return true;
  }

  @Override
  public Optional<String> unavailabilityCause(Path pool) {
    try {
      if (PoolKind.of(pool) != PoolKind.DEVICE) {
        return Optional.of(pool + " is no device-DAX device");
      }
    } catch (IOException e) {
      return Optional.of(ErrorText.of(e));
    }
    return NativeFile.unavailabilityCause().or(LibpmemMedium::libraryCause);
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return file.map(FileChannel.MapMode.READ_WRITE, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    Libpmem.persist(mapping.buffer(), offsetBytes, lengthBytes);
  }
}
