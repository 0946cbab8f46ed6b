package io.sluice.spill.segment;

/** The tiers of the spill store, in the order in which leases are granted. */
public enum Tier {
  /** Fixed-size segments of the pool directory, mapped by everybody. */
  MEMORY,
  /** One overflow file per lease, written sequentially and deleted when freed. */
  DISK
}
