package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Tier;

/**
 * How much is leased now, and for whom.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
interface Leased {
  long bytes(Tier tier);

  /** Of the disk tier, by copies that are given up for a lease. */
  long copiesBytes();

  /** Of these, by those of one user's outputs. */
  long copiesBytes(Owner owner);

  /** Of these, by those of one application's outputs. */
  long copiesBytes(Tenant tenant);

  /** Whether another user has a lease or an output, in whichever tier. */
  boolean isServingOthers(Owner owner);
}
