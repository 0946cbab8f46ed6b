package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;

/** A user's application, which has a share of the disk tier. */
record Tenant(Owner owner, String applicationId) {
  static Tenant of(Lease lease) {
    return new Tenant(lease.owner(), lease.applicationId());
  }
}
