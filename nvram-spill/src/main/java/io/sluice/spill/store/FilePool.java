package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.memory.SharedFile;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/**
 * A pool in a directory of ordinary files: one per segment, and a few for what it keeps about
 * itself. Unlike {@link MappedPool} it needs neither native code nor a layout.
 *
 * <p>A new segment is written from end to end before it gets its name, and the name is safe before
 * the segment is used.
 *
 * <p>Thread contract, ownership and failure: as {@link PoolSpace} says.
 */
final class FilePool implements PoolSpace {
  private static final int FILL_BYTES = 1 << 20;
  private static final String GENERATION = "pool.generation";
  private static final String LEASES = "pool.leases";

  private final LockedDirectory locked;
  private final Path directory;
  private final int segmentBytes;
  private final Medium medium;
  private final Owner owner;
  private UUID poolId; // null until there is a pool

  /** A pool in a directory, which it closes. */
  FilePool(StoreConfig config, LockedDirectory locked, Owner owner) {
    this.locked = locked;
    this.directory = config.directory();
    this.segmentBytes = config.segmentBytes();
    this.medium = config.medium();
    this.owner = owner;
  }

  @Override
  public Optional<PoolHeader> header() throws IOException {
    Optional<PoolHeader> header = PoolHeader.read(directory);
    header.ifPresent(found -> poolId = found.poolId());
    return header;
  }

  @Override
  public void clear() throws IOException {
    PoolHeader.delete(directory);
    locked.clear();
  }

  @Override
  public boolean renewsMemory() {
    return true;
  }

  @Override
  public void format(PoolHeader header) throws IOException {
    header.write(directory);
    poolId = header.poolId();
    syncNames();
  }

  @Override
  public MetaArea generation() throws IOException {
    return area(GENERATION);
  }

  @Override
  public MetaArea leaseMarks() throws IOException {
    return area(LEASES);
  }

  private MetaArea area(String name) throws IOException {
    Path path = directory.resolve(name);
    return new FileArea(
        Files.exists(path) ? SharedFile.open(path) : LockedDirectory.createShared(path));
  }

  @Override
  public List<Integer> segmentIds() throws IOException {
    locked.deleteTemporaries();
    return SegmentNames.in(locked, poolId).stream().map(SegmentName::segmentId).toList();
  }

  @Override
  public SegmentHandle open(int segmentId) throws IOException {
    Path path = path(segmentId);
    long lengthBytes = Files.size(path);
    if (lengthBytes != segmentBytes) {
      throw new IOException(
          path
              + " has "
              + lengthBytes
              + " bytes, expected "
              + segmentBytes
              + "; somebody else wrote to the pool: delete "
              + directory
              + " to start anew");
    }
    return handle(segmentId, path);
  }

  @Override
  public SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
    long usableBytes = Files.getFileStore(directory).getUsableSpace();
    if (usableBytes < segmentBytes) {
      throw new IOException(
          directory + " has " + usableBytes + " bytes left, a segment needs " + segmentBytes);
    }
    Path path = path(segmentId);
    Path temporary = path.resolveSibling(path.getFileName() + ".tmp");
    try (FileChannel file = LockedDirectory.createFile(temporary)) {
      if (!fill(file, stopped)) {
        Files.delete(temporary);
        return null;
      }
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      syncNames();
    } catch (IOException | RuntimeException | Error e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
    return handle(segmentId, path);
  }

  private Path path(int segmentId) {
    return directory.resolve(SegmentName.of(poolId, segmentId, 0, owner).toString());
  }

  /**
   * Makes new names safe where bytes are. A synchronous mapping vouches for the bytes and blocks of
   * a file, not for what it is called: ext4 was seen to bring a segment back under its first name,
   * with all that was persisted in it, when the blocks were in its journal before the new name.
   */
  private void syncNames() throws IOException {
    if (medium.isPersistent()) {
      locked.forceNames();
    }
  }

  private boolean fill(FileChannel file, BooleanSupplier stopped) throws IOException {
    ByteBuffer zeros = OffHeap.allocate(Math.min(FILL_BYTES, segmentBytes));
    try {
      for (long offsetBytes = 0; offsetBytes < segmentBytes; ) {
        if (stopped.getAsBoolean()) {
          return false;
        }
        zeros.position(0);
        zeros.limit((int) Math.min(zeros.capacity(), segmentBytes - offsetBytes));
        offsetBytes += file.write(zeros, offsetBytes);
      }
      return true;
    } finally {
      OffHeap.free(zeros);
    }
  }

  private SegmentHandle handle(int segmentId, Path path) throws IOException {
    SegmentInfo info = new SegmentInfo(segmentId, Tier.MEMORY, path, segmentBytes);
    SharedFile file = SharedFile.open(path);
    try (SegmentFile mapped = SegmentFile.open(info, true)) {
      Mapping mapping = medium.map(mapped, 0, segmentBytes);
      return new SegmentHandle(info, file, mapping, medium);
    } catch (IOException | RuntimeException | Error e) {
      file.close();
      throw e;
    }
  }

  @Override
  public void discard(SegmentHandle segment) throws IOException {
    segment.close();
    Files.delete(segment.info().path());
  }

  @Override
  public void close() throws IOException {
    locked.close();
  }
}
