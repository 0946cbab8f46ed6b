package io.sluice.spill.medium;

import io.sluice.rdma.memory.OffHeap;
import java.io.IOException;
import java.lang.invoke.VarHandle;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.Optional;

/**
 * An ordinary shared mapping of tmpfs, hugetlbfs or any file system. Unlike {@link SyncMedium} its
 * bytes live in the page cache: they survive the death of the process, not the loss of power, so
 * persisting only keeps the order of the stores.
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
  public Optional<String> unavailabilityCause(Path directory) {
    return Optional.empty();
  }

  @Override
  public MappedByteBuffer map(FileChannel file, long offsetBytes, int lengthBytes)
      throws IOException {
    return OffHeap.map(file, FileChannel.MapMode.READ_WRITE, offsetBytes, lengthBytes);
  }

  @Override
  public void persist(MappedByteBuffer mapping, int offsetBytes, int lengthBytes) {
    VarHandle.releaseFence();
  }
}
