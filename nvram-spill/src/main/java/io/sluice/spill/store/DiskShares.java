package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.PlaceUse;
import java.util.HashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Who holds how much of the disk tier, and who may have more. What is leased is not taken back, so
 * whoever comes later must find some room.
 *
 * <ul>
 *   <li>Beside another user the last eighth of the tier is for users who hold less than an eighth.
 *   <li>Where one user is served, the last eighth is for applications that hold less than an
 *       eighth, while several hold some. A task that has nowhere else to write may have it all the
 *       same, but for the last 64th: its job would fail for the sake of one that may never come.
 *   <li>While one application holds all that is held, the last 64th is for others.
 * </ul>
 *
 * <p>A pool that is {@link PlaceUse#PRIVATE} is one process's, and keeps nothing from any of its
 * applications.
 *
 * <p>Thread contract: guarded by the lock of the store. Failure: {@link DiskShareException}.
 */
final class DiskShares {
  /** So much is kept beside others. */
  static final int KEPT_PART = 8;

  /** So much is kept from one who is alone, and from one that has nowhere else to write. */
  private static final int LAST_PART = 64;

  /** So long an application is known to have been refused some. */
  static final long REFUSED_MS = 60_000;

  private final StoreConfig config;
  private final LongSupplier nanoTime;
  private final Map<Owner, Long> ownerBytes = new HashMap<>(); // of those that hold some
  private final Map<Tenant, Holder> applications = new HashMap<>(); // which have not ended either
  private final Map<Owner, Long> refusals = new HashMap<>();
  private final Map<Tenant, Refusal> refused = new HashMap<>(); // the last one of each

  /** What one application holds, if it is known; else what one file does. */
  static final class Holder {
    private final Tenant tenant;
    private long bytes;

    private Holder(Tenant tenant) {
      this.tenant = tenant;
    }

    Tenant tenant() {
      return tenant;
    }
  }

  private record Refusal(long atNs, long lengthBytes) {}

  /**
   * Nobody holds anything.
   *
   * @param nanoTime is a clock as {@link System#nanoTime} is one
   */
  DiskShares(StoreConfig config, LongSupplier nanoTime) {
    this.config = config;
    this.nanoTime = nanoTime;
  }

  /** Counts so much more as an application's. */
  Holder hold(Tenant tenant, long lengthBytes) {
    Holder holder = applications.computeIfAbsent(tenant, Holder::new);
    hold(holder, lengthBytes);
    return holder;
  }

  /** Counts as a user's what a former store left, of whichever application. */
  Holder holdFormer(Tenant tenant, long lengthBytes) {
    Holder holder = new Holder(tenant);
    hold(holder, lengthBytes);
    return holder;
  }

  /** Counts so much more as of one that holds some. */
  void hold(Holder holder, long lengthBytes) {
    ownerBytes.merge(holder.tenant.owner(), lengthBytes, Long::sum);
    holder.bytes += lengthBytes;
  }

  /** So much is free again. */
  void release(Holder holder, long lengthBytes) {
    ownerBytes.compute(
        holder.tenant.owner(), (it, bytes) -> bytes == lengthBytes ? null : bytes - lengthBytes);
    holder.bytes -= lengthBytes;
    if (holder.bytes == 0) {
      applications.remove(holder.tenant, holder);
    }
  }

  /** From here on nobody is beside it: what it still holds comes back. */
  void ended(String applicationId) {
    applications.keySet().removeIf(tenant -> tenant.applicationId().equals(applicationId));
    refused.keySet().removeIf(tenant -> tenant.applicationId().equals(applicationId));
  }

  /** What each user holds: leases, outputs and their copies. */
  Map<Owner, Long> ownerBytes() {
    return Map.copyOf(ownerBytes);
  }

  /**
   * Checks that an application may have so much more. Copies count as free: they give way.
   *
   * @param createdBytes length of the files, and of those being made
   * @param roomBytes what all directories have left
   * @param leases says what copies hold, and who else is here
   * @param last whether it has nowhere else to write
   */
  void check(
      Tenant tenant,
      long lengthBytes,
      long createdBytes,
      long roomBytes,
      Leased leases,
      boolean last)
      throws DiskShareException {
    long allBytes = createdBytes + roomBytes;
    long freeBytes = roomBytes + leases.copiesBytes();
    long shareBytes = partBytes(allBytes, KEPT_PART);
    if (freeBytes - lengthBytes >= shareBytes) {
      return;
    }
    Owner owner = tenant.owner();
    if (isBesideUsers(owner, leases)) {
      long heldBytes = ownerBytes.getOrDefault(owner, 0L) - leases.copiesBytes(owner);
      if (heldBytes + lengthBytes > shareBytes) {
        String who = "user id " + owner;
        throw refusal(who, "users who", heldBytes, lengthBytes, freeBytes, shareBytes, shareBytes);
      }
    } else if (config.use() == PlaceUse.ANNOUNCED && freeBytes >= lengthBytes) {
      boolean beside = isOneOfMany(tenant, applications);
      long lastBytes = partBytes(allBytes, LAST_PART);
      long mostBytes = beside ? shareBytes : lastBytes;
      long keptBytes = last ? lastBytes : mostBytes;
      Holder holder = applications.get(tenant);
      long holderBytes = holder == null ? 0 : holder.bytes;
      long heldBytes = Math.max(0, holderBytes - leases.copiesBytes(tenant)); // some of a former's
      if (freeBytes - lengthBytes < keptBytes && heldBytes + lengthBytes > mostBytes) {
        String who = tenant.applicationId();
        throw refusal(
            who, "applications that", heldBytes, lengthBytes, freeBytes, keptBytes, mostBytes);
      }
    } // else it is one's own, or full, whoever asks
  }

  private long partBytes(long allBytes, int part) {
    return allBytes / part / config.blockBytes() * config.blockBytes();
  }

  /** Also by what is in quarantine: its tasks may still be writing. */
  private boolean isBesideUsers(Owner owner, Leased leases) {
    return config.shared() && (leases.isServingOthers(owner) || isOneOfMany(owner, ownerBytes));
  }

  private static boolean isOneOfMany(Object one, Map<?, ?> all) {
    return all.size() > (all.containsKey(one) ? 1 : 0);
  }

  private DiskShareException refusal(
      String who,
      String whom,
      long heldBytes,
      long lengthBytes,
      long freeBytes,
      long keptBytes,
      long mostBytes) {
    return new DiskShareException(
        "the disk tier is full for "
            + who
            + ", which holds "
            + heldBytes
            + " bytes of it and asks for "
            + lengthBytes
            + ": "
            + freeBytes
            + " bytes are free, and "
            + keptBytes
            + " are kept for "
            + whom
            + " hold less than "
            + mostBytes
            + "; add directories to "
            + config.settingNames().diskDirectories()
            + " or raise "
            + config.settingNames().diskCapacity());
  }

  /** A task's lease was refused so much, because it is kept for others. */
  void refused(Tenant tenant, long lengthBytes) {
    refusals.merge(tenant.owner(), 1L, Long::sum);
    refused.values().removeIf(this::isLongAgo);
    refused.put(tenant, new Refusal(nanoTime.getAsLong(), lengthBytes));
  }

  /** What the last of an application's tasks was refused, if that was a moment ago. */
  OptionalLong refusedBytes(Tenant tenant) {
    Refusal last = refused.get(tenant);
    return last == null || isLongAgo(last)
        ? OptionalLong.empty()
        : OptionalLong.of(last.lengthBytes);
  }

  private boolean isLongAgo(Refusal refusal) {
    return nanoTime.getAsLong() - refusal.atNs >= TimeUnit.MILLISECONDS.toNanos(REFUSED_MS);
  }

  /** How many leases of each user's tasks were refused room that was kept for others. */
  Map<Owner, Long> refusals() {
    return Map.copyOf(refusals);
  }
}
