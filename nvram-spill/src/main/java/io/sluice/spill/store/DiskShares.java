package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.HashMap;
import java.util.Map;

/**
 * How much of the disk tier each user holds, and who may have more. What is leased cannot be taken
 * back, so the last eighth of the tier is kept for users who hold less than an eighth: a user that
 * comes later must find some room. A user that is alone may have all: where every task runs as the
 * same user, nobody else comes. Unlike {@link HeapShares} it counts bytes on disks.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link DiskShareException}.
 */
final class DiskShares {
  /** So much of the tier is kept for users who hold less. */
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
   * @param roomBytes what all directories have left
   * @param copiesBytes what copies hold, which give way
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
          "the disk tier is full for user id "
              + owner
              + ", who holds "
              + ownBytes
              + " bytes of it and asks for "
              + lengthBytes
              + ": "
              + freeBytes
              + " bytes are free, and "
              + keptBytes
              + " are kept for users who hold less than that; add directories to "
              + config.settingNames().diskDirectories()
              + " or raise "
              + config.settingNames().diskCapacity());
    }
  }

  /** Also by what is in quarantine: its tasks may still be writing. */
  private boolean isOthersToo(Owner owner) {
    return heldBytes.keySet().stream().anyMatch(holder -> !holder.equals(owner));
  }

  /** What each user holds: leases, outputs and their copies. */
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
