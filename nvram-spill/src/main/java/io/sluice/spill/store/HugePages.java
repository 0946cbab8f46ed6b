package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.NativeFile;
import io.sluice.rdma.text.ErrorText;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * A directory of hugetlbfs, locked: a file for the meta area and one per segment.
 *
 * <p>Pages are allocated before they are mapped, one at a time, so that a lack of them is an error
 * of that call and never a SIGBUS later.
 *
 * <p>Thread contract and ownership: as {@link MappedPool.Backing} says. Failure: {@link
 * IOException} that names the kernel's setting when no huge page is free.
 */
final class HugePages implements MappedPool.Backing {
  private static final String META = "pool.meta";

  private final LockedDirectory directory;
  private final int pageBytes;
  private final Owner owner;

  private HugePages(LockedDirectory directory, int pageBytes, Owner owner) {
    this.directory = directory;
    this.pageBytes = pageBytes;
    this.owner = owner;
  }

  /** Locks the directory, which is created if absent. */
  static HugePages open(StoreConfig config, Owner owner) throws IOException {
    LockedDirectory directory = LockedDirectory.open(config.directory(), config.use());
    try {
      long pageBytes = Files.getFileStore(config.directory()).getBlockSize();
      return new HugePages(directory, Math.toIntExact(pageBytes), owner);
    } catch (IOException | RuntimeException | Error e) {
      directory.close();
      throw e;
    }
  }

  @Override
  public String path() {
    return directory.path().toString();
  }

  @Override
  public int unitBytes() {
    return pageBytes;
  }

  @Override
  public MappedLayout layout(int segmentBytes, int blockBytes, long capacityBytes) {
    int slots = (int) (capacityBytes / segmentBytes);
    MappedLayout wanted = new MappedLayout(pageBytes, segmentBytes, blockBytes, slots);
    // whole pages are taken anyway; a larger capacity may be set at the next start
    int metaBytes = Math.toIntExact(wanted.metaBytes());
    return MappedLayout.filling(pageBytes, segmentBytes, blockBytes, metaBytes);
  }

  @Override
  public boolean exists() throws IOException {
    return Files.exists(meta()) && Files.size(meta()) >= pageBytes;
  }

  @Override
  public Mapping mapMeta(int lengthBytes) throws IOException {
    long fileBytes = Files.size(meta());
    if (fileBytes < lengthBytes) {
      throw new IOException(
          "%s has %s bytes, expected %s; delete %s to start with an empty pool"
              .formatted(meta(), fileBytes, lengthBytes, path()));
    }
    try (NativeFile file = NativeFile.open(meta(), pageBytes, true)) {
      return file.map(0, lengthBytes);
    }
  }

  @Override
  public void clear() throws IOException {
    directory.clear();
  }

  @Override
  public boolean renewsMemory() {
    return true;
  }

  @Override
  public void createMeta(int lengthBytes) throws IOException {
    create(meta(), lengthBytes, () -> false);
  }

  @Override
  public SegmentInfo segment(UUID poolId, int segmentId, MappedLayout layout) {
    Path path = directory.path().resolve(SegmentName.of(poolId, segmentId, 0, owner).toString());
    return new SegmentInfo(segmentId, 0, Tier.MEMORY, path, 0, layout.segmentBytes(), pageBytes);
  }

  @Override
  public boolean create(SegmentInfo segment, Medium medium, BooleanSupplier stopped)
      throws IOException {
    Files.deleteIfExists(segment.path()); // a process may have died before it was finished
    return create(segment.path(), segment.lengthBytes(), stopped);
  }

  private boolean create(Path path, long lengthBytes, BooleanSupplier stopped) throws IOException {
    LockedDirectory.createFile(path).close();
    boolean complete = false;
    try (NativeFile file = NativeFile.open(path, pageBytes, true)) {
      for (long offset = 0; offset < lengthBytes && !stopped.getAsBoolean(); offset += pageBytes) {
        file.allocate(offset, pageBytes);
        complete = offset + pageBytes == lengthBytes;
      }
      return complete;
    } catch (IOException e) {
      throw new IOException(
          ("no huge page is free for %s of %s bytes (%s); raise vm.nr_hugepages, or lower the pool's"
                  + " capacity")
              .formatted(path, lengthBytes, ErrorText.of(e)),
          e);
    } finally {
      if (!complete) {
        Files.delete(path);
      }
    }
  }

  @Override
  public void delete(SegmentInfo segment) throws IOException {
    Files.delete(segment.path());
  }

  @Override
  public void close() throws IOException {
    directory.close();
  }

  private Path meta() {
    return directory.path().resolve(META);
  }
}
