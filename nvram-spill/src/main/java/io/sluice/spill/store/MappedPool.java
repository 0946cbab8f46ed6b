package io.sluice.spill.store;

import io.sluice.rdma.memory.Mapping;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentFile;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.MetaArea.MappedArea;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;

/**
 * A pool in memory that is only mapped, never read or written as a file: huge pages or a device.
 * Unlike {@link FilePool} it keeps what it knows of itself in one mapped area, see {@link
 * MappedLayout}.
 *
 * <p>Thread contract, ownership and failure: as {@link PoolSpace} says.
 */
final class MappedPool implements PoolSpace {
  private static final byte ABSENT = 0;
  private static final byte PRESENT = 1;

  private final StoreConfig config;
  private final Medium medium;
  private final Backing backing;
  private final Owner owner;
  private UUID poolId;
  private MappedLayout layout;
  private Mapping meta;

  /** A pool over {@code backing}, which it closes, even if this fails; all of it one owner's. */
  MappedPool(StoreConfig config, Backing backing, Owner owner) throws IOException {
    this.owner = owner;
    this.config = config;
    this.medium = config.medium();
    this.backing = backing;
    if (config.segmentBytes() % backing.unitBytes() != 0) {
      backing.close();
      throw new IOException(
          "the segment size must be a multiple of %s bytes at %s, it is %s"
              .formatted(backing.unitBytes(), backing.path(), config.segmentBytes()));
    }
  }

  @Override
  public Optional<PoolHeader> header() throws IOException {
    if (!backing.exists()) {
      return Optional.empty();
    }
    Optional<MappedLayout.Header> header;
    try (Mapping first = backing.mapMeta(MappedLayout.FIRST_PAGE_BYTES)) {
      header = MappedLayout.Header.read(first, backing.unitBytes(), backing.path());
    }
    if (header.isPresent()) {
      mapMeta(header.get());
    }
    return header.map(MappedLayout.Header::pool);
  }

  @Override
  public void clear() throws IOException {
    closeMeta();
    if (backing.exists()) {
      try (Mapping first = backing.mapMeta(MappedLayout.FIRST_PAGE_BYTES)) {
        MappedLayout.Header.isPool(first, backing.path());
        MappedLayout.Header.begin(first, medium);
      }
    }
    backing.clear();
  }

  @Override
  public boolean renewsMemory() {
    return backing.renewsMemory();
  }

  @Override
  public boolean outlivesLoss() {
    return false; // its segments have no incarnations
  }

  @Override
  public boolean servesOwners() {
    return false;
  }

  @Override
  public List<Integer> freeIds() {
    return List.of();
  }

  @Override
  public boolean makeFree(int segmentId, BooleanSupplier stopped) {
    throw new UnsupportedOperationException("all of " + backing.path() + " is one owner's");
  }

  @Override
  public SegmentHandle claim(int segmentId, Owner claimant) {
    throw new UnsupportedOperationException("all of " + backing.path() + " is one owner's");
  }

  @Override
  public void retire(SegmentHandle segment) {
    throw new UnsupportedOperationException("all of " + backing.path() + " is one owner's");
  }

  @Override
  public void format(PoolHeader header) throws IOException {
    MappedLayout fresh =
        backing.layout(header.segmentBytes(), header.blockBytes(), config.memoryCapacityBytes());
    backing.createMeta(Math.toIntExact(fresh.metaBytes()));
    MappedLayout.Header mapped = new MappedLayout.Header(header, fresh);
    mapMeta(mapped);
    mapped.write(meta, medium);
  }

  private void mapMeta(MappedLayout.Header found) throws IOException {
    poolId = found.pool().poolId();
    layout = found.layout();
    meta = backing.mapMeta(Math.toIntExact(layout.metaBytes()));
  }

  @Override
  public MetaArea generation() {
    return new MappedArea(meta, medium, MappedLayout.GENERATION_OFFSET);
  }

  @Override
  public MetaArea leaseMarks() {
    return new MappedArea(meta, medium, layout.leaseMarksOffset());
  }

  @Override
  public List<Integer> segmentIds() {
    return IntStream.range(0, layout.slots())
        .filter(id -> meta.buffer().get(MappedLayout.SLOT_STATES_OFFSET + id) == PRESENT)
        .boxed()
        .toList();
  }

  @Override
  public SegmentHandle open(int segmentId) throws IOException {
    SegmentInfo info = backing.segment(poolId, segmentId, layout);
    try (SegmentFile file = SegmentFile.open(info, true)) {
      Mapping mapping = medium.map(file, 0, layout.segmentBytes());
      return new MemorySegment(info, owner, true, null, mapping, medium);
    }
  }

  @Override
  public SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
    if (segmentId >= layout.slots()) {
      throw new IOException(
          "%s has room for %s segments of %s bytes"
              .formatted(backing.path(), layout.slots(), layout.segmentBytes()));
    }
    if (!backing.create(backing.segment(poolId, segmentId, layout), medium, stopped)) {
      return null;
    }
    SegmentHandle segment = open(segmentId);
    setState(segmentId, PRESENT);
    return segment;
  }

  @Override
  public void discard(SegmentHandle segment) throws IOException {
    segment.close();
    setState(segment.info().segmentId(), ABSENT);
    backing.delete(segment.info());
  }

  private void setState(int segmentId, byte state) {
    new MappedArea(meta, medium, MappedLayout.SLOT_STATES_OFFSET).fill(segmentId, 1, state);
  }

  private void closeMeta() {
    if (meta != null) {
      meta.close();
      meta = null;
    }
  }

  @Override
  public void close() throws IOException {
    closeMeta();
    backing.close();
  }

  /**
   * The memory under a {@link MappedPool}, locked.
   *
   * <p>Thread contract: as {@link PoolSpace} says. Ownership: the pool closes it last.
   */
  interface Backing extends Closeable {
    /** The directory or the device, for messages. */
    String path();

    /** Offset and length of mappings are multiples of this. */
    int unitBytes();

    /** The layout of a new pool that is to hold {@code capacityBytes}, or all there is. */
    MappedLayout layout(int segmentBytes, int blockBytes, long capacityBytes) throws IOException;

    /** Whether there is anything to read a header from. */
    boolean exists() throws IOException;

    /** Maps the first bytes for reading and writing; the caller closes it. */
    Mapping mapMeta(int lengthBytes) throws IOException;

    /** Gives back what can be given back. */
    void clear() throws IOException;

    /** As {@link PoolSpace#renewsMemory}. */
    boolean renewsMemory();

    /** Makes the room for {@link #mapMeta}. */
    void createMeta(int lengthBytes) throws IOException;

    /** Where a segment lies, whether it exists or not. */
    SegmentInfo segment(UUID poolId, int segmentId, MappedLayout layout) throws IOException;

    /**
     * Makes the room of a segment, and its zeros safe; false if {@code stopped} says so before it
     * is done.
     */
    boolean create(SegmentInfo segment, Medium medium, BooleanSupplier stopped) throws IOException;

    /** Gives back the room of a segment. */
    void delete(SegmentInfo segment) throws IOException;
  }
}
