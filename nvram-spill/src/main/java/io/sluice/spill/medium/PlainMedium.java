package io.sluice.spill.medium;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.segment.SegmentFile;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An ordinary shared mapping of tmpfs, hugetlbfs, any file system or device. Unlike {@link
 * SyncMedium} its bytes lie in the page cache or the CPU's caches: they survive the death of the
 * process, not the loss of power. So persisting only keeps the order of the stores.
 *
 * <p>Thread contract: stateless.
 */
public final class PlainMedium implements Medium {
  @Override
  public String name() {
    return "plain";
  }

  @Override
  public boolean isPersistent() {
    return false;
  }

  @Override
  public boolean isStoredDirectly() {
    return true;
  }

  @Override
  public Optional<String> unavailabilityCause(Path pool) {
    try {
      return PoolKind.of(pool) == PoolKind.FILES
          ? Optional.empty()
          : NativeFile.unavailabilityCause();
    } catch (IOException e) {
      return Optional.of(ErrorText.of(e));
    }
  }

  @Override
  public Mapping map(SegmentFile file, long offsetBytes, int lengthBytes) throws IOException {
    return file.map(FileChannel.MapMode.READ_WRITE, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(Mapping mapping, int offsetBytes, int lengthBytes) {
    VarHandle.releaseFence();
  }
}
