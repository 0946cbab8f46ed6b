package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** A file that cannot be closed must not keep the rest of the pool, nor its lock. */
class CloseTest extends PoolTestBase {

  @Test
  void whateverCannotBeClosedThePoolIsGivenBack() throws Exception {
    StoreConfig config = configWithDisk(2).recover(Set.of()).build();
    SpillStore store = SpillStore.open(config, opened -> new Unclosable(PoolSpace.open(opened)));
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
  private static final class Unclosable extends ForwardedSpace {
    Unclosable(PoolSpace space) {
      super(space);
    }

    @Override
    public MetaArea generation() throws IOException {
      return new UnclosableArea(super.generation(), "generation");
    }

    @Override
    public MetaArea leaseMarks() throws IOException {
      return new UnclosableArea(super.leaseMarks(), "lease marks");
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
