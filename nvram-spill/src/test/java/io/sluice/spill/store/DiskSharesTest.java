package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** The shares alone; {@link DiskShareTest} has those of a store. */
class DiskSharesTest {
  private static final int BLOCK_BYTES = 16 << 10;
  private static final Owner OWNER = new Owner(1001);
  private static final Tenant LARGE = new Tenant(OWNER, "application_1_0001");
  private static final Tenant SMALL = new Tenant(OWNER, "application_1_0002");

  private final DiskShares shares =
      new DiskShares(
          StoreConfig.builder(Path.of("none"), 1 << 20).geometry(1 << 20, BLOCK_BYTES).build(),
          () -> 0);

  /** Nothing else is there. */
  private static final class Nothing implements Leased {
    @Override
    public long bytes(Tier tier) {
      return 0;
    }

    @Override
    public long copiesBytes() {
      return 0;
    }

    @Override
    public long copiesBytes(Owner owner) {
      return 0;
    }

    @Override
    public long copiesBytes(Tenant tenant) {
      return 0;
    }

    @Override
    public boolean isServingOthers(Owner owner) {
      return false;
    }
  }

  private void check(Tenant tenant, long blocks, long heldBlocks, long roomBlocks, boolean last)
      throws DiskShareException {
    long createdBytes = heldBlocks * BLOCK_BYTES;
    long roomBytes = roomBlocks * BLOCK_BYTES;
    shares.check(tenant, blocks * BLOCK_BYTES, createdBytes, roomBytes, new Nothing(), last);
  }

  /** What is a share without a last resort is one with it. */
  @Test
  void whoHoldsLessHasItsShareInTheLastResortToo() throws Exception {
    shares.hold(LARGE, 60 * BLOCK_BYTES);
    shares.hold(SMALL, BLOCK_BYTES);
    for (boolean last : new boolean[] {false, true}) {
      check(SMALL, 3, 61, 3, last);
      assertThrows(DiskShareException.class, () -> check(LARGE, 3, 61, 3, last));
    }
    check(LARGE, 2, 61, 3, true);
    assertThrows(DiskShareException.class, () -> check(LARGE, 2, 61, 3, false));
  }
}
