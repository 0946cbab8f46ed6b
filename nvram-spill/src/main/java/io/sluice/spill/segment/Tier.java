package io.sluice.spill.segment;

/** Where bytes of the spill store lie; the order is the order in which leases are granted. */
public enum Tier {
  /** Fixed-size segments of the pool directory, mapped by everybody. */
  MEMORY,
  /** One overflow file per lease, written sequentially and deleted when freed. */
  DISK
}
