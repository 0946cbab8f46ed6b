package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.Test;

/** A file that cannot be closed must not keep the rest of the pool, nor its lock. */
class CloseTest extends PoolTestBase {

  @Test
  void whateverCannotBeClosedThePoolIsGivenBack() throws Exception {
    StoreConfig config = configWithDisk(2).recover(Set.of()).build();
    SpillStore store = SpillStore.open(config, opened -> new Unclosable(PoolSpaces.open(opened)));
    try (Lease lease = store.openLease(APP)) {
      lease.lease(SEGMENT_BYTES);
    }
    IOException refused = assertThrows(IOException.class, store::close);
    assertEquals("generation", refused.getMessage());
    assertEquals(
        List.of("lease marks"),
        List.of(refused.getSuppressed()).stream().map(Throwable::getMessage).toList());
    SpillStore.open(config).close();
  }

  /** Its areas are closed, and say that they could not be. */
  private record Unclosable(PoolSpace space) implements PoolSpace {
    @Override
    public Optional<PoolHeader> header() throws IOException {
      return space.header();
    }

    @Override
    public void clear() throws IOException {
      space.clear();
    }

    @Override
    public void format(PoolHeader header) throws IOException {
      space.format(header);
    }

    @Override
    public MetaArea generation() throws IOException {
      return new UnclosableArea(space.generation(), "generation");
    }

    @Override
    public MetaArea leaseMarks() throws IOException {
      return new UnclosableArea(space.leaseMarks(), "lease marks");
    }

    @Override
    public List<Integer> segmentIds() throws IOException {
      return space.segmentIds();
    }

    @Override
    public SegmentHandle open(int segmentId) throws IOException {
      return space.open(segmentId);
    }

    @Override
    public SegmentHandle create(int segmentId, BooleanSupplier stopped) throws IOException {
      return space.create(segmentId, stopped);
    }

    @Override
    public void discard(SegmentHandle segment) throws IOException {
      space.discard(segment);
    }

    @Override
    public void close() throws IOException {
      space.close();
    }
  }

  private record UnclosableArea(MetaArea area, String name) implements MetaArea {
    @Override
    public void read(long offsetBytes, byte[] destination) throws IOException {
      area.read(offsetBytes, destination);
    }

    @Override
    public void fill(long offsetBytes, int lengthBytes, byte value) throws IOException {
      area.fill(offsetBytes, lengthBytes, value);
    }

    @Override
    public void writeLong(long offsetBytes, long value) throws IOException {
      area.writeLong(offsetBytes, value);
    }

    @Override
    public void close() throws IOException {
      area.close();
      throw new IOException(name);
    }
  }
}
