package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * How many leases users and applications have: says who is here beside others, without a look at
 * all leases.
 *
 * <p>Thread contract: guarded by the lock of the store.
 */
final class LeaseCounts {
  private final Map<Owner, Integer> owners = new HashMap<>();
  private final Map<String, Integer> applications = new HashMap<>();

  void add(Lease lease) {
    owners.merge(lease.owner(), 1, Integer::sum);
    applications.merge(lease.applicationId(), 1, Integer::sum);
  }

  void remove(Lease lease) {
    owners.computeIfPresent(lease.owner(), LeaseCounts::less);
    applications.computeIfPresent(lease.applicationId(), LeaseCounts::less);
  }

  private static Integer less(Object key, int count) {
    return count == 1 ? null : count - 1;
  }

  /** Whether another user has any. */
  boolean hasOthers(Owner owner) {
    return hasOthers(owners, owner);
  }

  /** Whether another application has any. */
  boolean hasOthers(String applicationId) {
    return hasOthers(applications, applicationId);
  }

  private static boolean hasOthers(Map<?, Integer> counts, Object one) {
    return counts.size() > (counts.containsKey(one) ? 1 : 0);
  }
}
