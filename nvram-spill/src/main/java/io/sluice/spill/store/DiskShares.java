package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.store.StoreFullException.DiskShareException;
import java.util.HashMap;
import java.util.Map;

/**
 * How much of the disk tier each user holds, and whether a user may have more. Leases cannot be
 * taken back. So the last eighth of the tier is kept for users that hold less than an eighth: a
 * user that comes later must find room. A user that is alone may have all. Unlike {@link
 * HeapShares} it counts bytes on disks.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link DiskShareException}.
 */
final class DiskShares {
  /** The part of the tier that is kept for users that hold less. */
  private static final int KEPT_PART = 8;

  private final StoreConfig config;
  private final Map<Owner, Long> heldBytes = new HashMap<>(); // of users that hold any
  private final Map<Owner, Long> refusals = new HashMap<>();

  /** Nobody holds anything. */
  DiskShares(StoreConfig config) {
    this.config = config;
  }

  void add(Owner owner, long lengthBytes) {
    heldBytes.merge(owner, lengthBytes, Long::sum);
  }

  void remove(Owner owner, long lengthBytes) {
    heldBytes.compute(owner, (it, bytes) -> bytes == lengthBytes ? null : bytes - lengthBytes);
  }

  /**
   * Checks that a user may have so much more.
   *
   * @param createdBytes what the tier has by now
   * @param roomBytes free in all directories
   * @param copiesBytes of copies, which give way
   * @param ownCopiesBytes of these, those of this user's outputs
   * @param others whether another user has a lease or an output, in whichever tier
   * @throws DiskShareException if this user would take some of what is kept and hold more
   */
  void check(
      Owner owner,
      long lengthBytes,
      long createdBytes,
      long roomBytes,
      long copiesBytes,
      long ownCopiesBytes,
      boolean others)
      throws DiskShareException {
    long ownBytes = heldBytes.getOrDefault(owner, 0L) - ownCopiesBytes;
    long freeBytes = roomBytes + copiesBytes;
    long keptBytes = (createdBytes + roomBytes) / KEPT_PART;
    boolean leavesEnough = freeBytes - lengthBytes >= keptBytes;
    boolean holdsLess = ownBytes + lengthBytes <= keptBytes;
    if (config.shared() && !leavesEnough && !holdsLess && (others || isOthersToo(owner))) {
      throw new DiskShareException(
          ("the disk tier is full for user id %s, who holds %s bytes of it and asks for %s: %s bytes"
                  + " are free, and %s are kept for users who hold less than that; add directories"
                  + " to %s or raise %s")
              .formatted(
                  owner,
                  ownBytes,
                  lengthBytes,
                  freeBytes,
                  keptBytes,
                  config.settingNames().diskDirectories(),
                  config.settingNames().diskCapacity()));
    }
  }

  /** Also by what is in quarantine: its tasks may still be writing. */
  private boolean isOthersToo(Owner owner) {
    return heldBytes.keySet().stream().anyMatch(holder -> !holder.equals(owner));
  }

  /** Bytes that each user holds: leases, outputs and their copies. */
  Map<Owner, Long> heldBytes() {
    return Map.copyOf(heldBytes);
  }

  /** A task's lease was granted nothing, because what is left is kept for others. */
  void refused(Owner owner) {
    refusals.merge(owner, 1L, Long::sum);
  }

  /** How many leases of each user's tasks were refused room that was kept for others. */
  Map<Owner, Long> refusals() {
    return Map.copyOf(refusals);
  }
}
