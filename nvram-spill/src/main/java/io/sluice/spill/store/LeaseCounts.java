package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * How many leases each user has: says who is here beside others without a look at all leases.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class LeaseCounts {
  private final Map<Owner, Integer> owners = new HashMap<>();

  void add(Lease lease) {
    owners.merge(lease.owner(), 1, Integer::sum);
  }

  void remove(Lease lease) {
    owners.computeIfPresent(lease.owner(), (owner, count) -> count == 1 ? null : count - 1);
  }

  /** Whether another user has any. */
  boolean hasOthers(Owner owner) {
    return owners.size() > (owners.containsKey(owner) ? 1 : 0);
  }
}
