package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;

/**
 * How much all leases and all copies hold now, for shares and for messages.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class LeasedTotals {
  private final StoreState state;

  LeasedTotals(StoreState state) {
    this.state = state;
  }

  /** Bytes of a tier that leases hold. */
  long bytes(Tier tier) {
    return state.leasedBytes.of(tier);
  }

  /** Bytes of the disk tier that copies hold: they are given up for a lease. */
  long copiesBytes() {
    return state.copies.bytes() + copyingBytes();
  }

  /** Of these, the bytes of copies of one user's outputs. */
  long copiesBytes(Owner owner) {
    boolean isCopying = state.copying != null && state.copying.owner().equals(owner);
    return state.copies.bytes(owner) + (isCopying ? copyingBytes() : 0);
  }

  /** What the copy holds that is being written. */
  long copyingBytes() {
    return state.copying == null
        ? 0
        : state.copying.heldBytes(Tier.DISK) + state.diskSpace.makingBytes(state.copying);
  }

  /** Whether another user has a lease or an output. */
  boolean isServingOthers(Owner owner) {
    return state.leases.stream().anyMatch(lease -> !lease.owner().equals(owner))
        || state.outputs.hasOthers(owner);
  }
}
