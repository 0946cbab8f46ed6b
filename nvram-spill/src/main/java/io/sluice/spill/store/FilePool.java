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
import io.sluice.spill.store.MetaArea.FileArea;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pool in a directory of ordinary files: one per segment, and a few for what it keeps about
 * itself. Unlike {@link MappedPool} it needs neither native code nor a layout.
 *
 * <p>A new segment is written from end to end before it gets its name, and the name is safe before
 * the segment is used. The name says whose it is. Of a segment that is retired an empty file stays
 * until the next one has its name: so no two files of a pool have the same incarnation.
 *
 * <p>Thread contract, ownership and failure: as {@link PoolSpace} says.
 */
final class FilePool implements PoolSpace {
  private static final Logger LOG = LoggerFactory.getLogger(FilePool.class);
  private static final int FILL_BYTES = 1 << 20;
  private static final String GENERATION = "pool.generation";
  private static final String LEASES = "pool.leases";

  private final LockedDirectory locked;
  private final Path directory;
  private final int segmentBytes;
  private final Medium medium;
  private final Owner owner;
  private final SortedMap<Integer, SegmentName> names = new ConcurrentSkipListMap<>();
  private final Set<Integer> retired = ConcurrentHashMap.newKeySet(); // only their names are left
  private UUID poolId; // null until there is a pool
  private int firstIncarnation;

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
    header.ifPresent(this::become);
    return header;
  }

  private void become(PoolHeader header) {
    poolId = header.poolId();
    firstIncarnation = header.firstIncarnation();
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
    become(header);
    syncNames();
  }

  @Override
  public boolean outlivesLoss() {
    return true;
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
    for (SegmentName name : locked.segments(poolId)) {
      SegmentName former = names.put(name.segmentId(), name); // of two the higher incarnation
      if (former != null) {
        Files.delete(directory.resolve(former.toString()));
      }
    }
    for (SegmentName name : names.values()) {
      settle(name);
    }
    return existing(name -> name.owner().isPresent());
  }

  /** Takes what is no whole segment for one that was being retired, where that may be. */
  private void settle(SegmentName name) throws IOException {
    Path path = directory.resolve(name.toString());
    long lengthBytes = Files.size(path);
    boolean ours = name.owner().equals(Optional.of(owner));
    if (lengthBytes == 0) {
      retired.add(name.segmentId());
    } else if (lengthBytes != segmentBytes && !ours) {
      LOG.warn(
          "{} has {} bytes, expected {}: nothing in it is believed",
          path,
          lengthBytes,
          segmentBytes);
      cut(path);
      retired.add(name.segmentId());
    }
  }

  private List<Integer> existing(Predicate<SegmentName> wanted) {
    return names.values().stream()
        .filter(wanted)
        .map(SegmentName::segmentId)
        .filter(segmentId -> !retired.contains(segmentId))
        .toList();
  }

  @Override
  public boolean servesOwners() {
    return true;
  }

  @Override
  public List<Integer> freeIds() {
    return existing(name -> name.owner().isEmpty());
  }

  @Override
  public SegmentHandle open(int segmentId) throws IOException {
    Path path = directory.resolve(names.get(segmentId).toString());
    long lengthBytes = Files.size(path);
    if (lengthBytes != segmentBytes) {
      throw new IOException(
          "%s has %s bytes, expected %s; somebody else wrote to the pool: delete %s to start anew"
              .formatted(path, lengthBytes, segmentBytes, directory));
    }
    return handle(names.get(segmentId));
  }

  @Override
  public SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
    SegmentName name = next(segmentId, Optional.of(owner));
    return make(name, stopped) ? handle(name) : null;
  }

  @Override
  public boolean makeFree(int segmentId, BooleanSupplier stopped) throws IOException {
    return make(next(segmentId, Optional.empty()), stopped);
  }

  private SegmentName next(int segmentId, Optional<Owner> whose) {
    SegmentName former = names.get(segmentId);
    int incarnation = former == null ? firstIncarnation : former.incarnation() + 1;
    return SegmentName.of(poolId, segmentId, incarnation, whose);
  }

  private boolean make(SegmentName name, BooleanSupplier stopped) throws IOException {
    long usableBytes = Files.getFileStore(directory).getUsableSpace();
    if (usableBytes < segmentBytes) {
      throw new IOException(
          directory + " has " + usableBytes + " bytes left, a segment needs " + segmentBytes);
    }
    Path path = directory.resolve(name.toString());
    Path temporary = path.resolveSibling(name + ".tmp");
    try (FileChannel file = LockedDirectory.createFile(temporary)) {
      if (!fill(file, stopped)) {
        Files.delete(temporary);
        return false;
      }
      Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
      syncNames();
    } catch (IOException | RuntimeException | Error e) {
      Files.deleteIfExists(temporary);
      throw e;
    }
    SegmentName former = names.put(name.segmentId(), name);
    retired.remove(name.segmentId());
    if (former != null) { // last: until now it has kept its incarnation
      Files.deleteIfExists(directory.resolve(former.toString()));
    }
    return true;
  }

  @Override
  public SegmentHandle claim(int segmentId, Owner claimant) throws IOException {
    SegmentName former = names.get(segmentId);
    SegmentName name =
        SegmentName.of(poolId, segmentId, former.incarnation(), Optional.of(claimant));
    if (!name.equals(former)) {
      Files.move(
          directory.resolve(former.toString()),
          directory.resolve(name.toString()),
          StandardCopyOption.ATOMIC_MOVE);
      names.put(segmentId, name);
    }
    locked.forceNames(); // also where bytes are not safe: nobody may take it for nobody's again
    return handle(name);
  }

  @Override
  public void retire(SegmentHandle segment) throws IOException {
    segment.close();
    cut(segment.info().path());
    retired.add(segment.info().segmentId());
  }

  private static void cut(Path path) throws IOException {
    try (SharedFile file = SharedFile.open(path)) {
      file.setLength(0);
    }
  }

  /**
   * Makes new names safe where bytes are. A synchronous mapping makes the bytes and blocks of a
   * file safe, but not its name. After a power cut ext4 may bring a segment back under its first
   * name, with all that was persisted in it. Its blocks were in the journal before the new name.
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

  private SegmentHandle handle(SegmentName name) throws IOException {
    Path path = directory.resolve(name.toString());
    Owner whose = name.owner().orElseThrow();
    SegmentInfo info =
        new SegmentInfo(
            name.segmentId(),
            name.incarnation(),
            Tier.MEMORY,
            path,
            0,
            segmentBytes,
            SegmentInfo.MAPPED_BY_JDK);
    SharedFile file = SharedFile.open(path);
    try (SegmentFile mapped = SegmentFile.open(info, true)) {
      Mapping mapping = medium.map(mapped, 0, segmentBytes);
      return new MemorySegment(info, whose, whose.equals(owner), file, mapping, medium);
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
