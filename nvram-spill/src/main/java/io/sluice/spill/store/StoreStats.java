package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;

/**
 * A moment of a store.
 *
 * @param memory the memory tier
 * @param disk the disk tier
 * @param outputs how many outputs can be found
 * @param overflows leases so far that the memory tier could not grant alone
 * @param refusals leases so far that no tier could grant
 * @param segmentFailures how many times a segment of the memory tier could not be made
 * @param handOvers segments of the memory tier so far that were taken from their owner for another
 * @param damagedSegments segments so far that their owners had cut or made longer
 * @param forgedOutputs outputs that lay in another owner's segments at the recovery
 * @param failedDirectories directories of the disk tier that are left out now, because they failed
 * @param memorySegmentsOfUsers how many segments of the memory tier each user has
 * @param copies copies on disk of outputs that lie in memory
 * @param diskBytesOfUsers of the disk tier, by each user's leases, outputs and copies
 * @param diskShareRefusals how often each user was refused room on the disk tier that is kept for
 *     users that hold less
 * @param outputsOfUsers how many outputs each user has
 * @param diskFilesOfUsers how many files of the disk tier each user has
 * @param heapShareRefusals how often each user's tasks were refused something for lack of heap
 */
public record StoreStats(
    TierStats memory,
    TierStats disk,
    int outputs,
    long overflows,
    long refusals,
    long segmentFailures,
    long handOvers,
    long damagedSegments,
    long forgedOutputs,
    int failedDirectories,
    Map<Owner, Long> memorySegmentsOfUsers,
    CopyStats copies,
    Map<Owner, Long> diskBytesOfUsers,
    Map<Owner, Long> diskShareRefusals,
    Map<Owner, Long> outputsOfUsers,
    Map<Owner, Long> diskFilesOfUsers,
    Map<Owner, Long> heapShareRefusals) {

  /**
   * How full one tier is.
   *
   * @param capacityBytes most it may hold; 0 = no limit but the file system's (disk tier)
   * @param createdBytes length of the files that exist
   * @param leasedBytes held by writers that have not committed
   * @param committedBytes held by outputs
   * @param quarantinedBytes found without an output at recovery and not yet free
   */
  public record TierStats(
      long capacityBytes,
      long createdBytes,
      long leasedBytes,
      long committedBytes,
      long quarantinedBytes) {

    /** Bytes that cannot be leased now. */
    public long usedBytes() {
      return leasedBytes + committedBytes + quarantinedBytes;
    }
  }

  /**
   * Copies on disk of outputs that lie in memory.
   *
   * @param outputs how many outputs have one now
   * @param bytes of these copies on the disk tier
   * @param failures times so far that an output could not be copied, but for lack of room
   * @param dropped copies so far that were given up because their room was needed
   */
  public record CopyStats(int outputs, long bytes, long failures, long dropped) {}

  /**
   * The bytes that the outputs of one application hold.
   *
   * @param memoryBytes of their blocks in the memory tier
   * @param diskBytes of those in the disk tier
   */
  public record ApplicationUse(String applicationId, long memoryBytes, long diskBytes) {
    /** On both tiers. */
    public long bytes() {
      return memoryBytes + diskBytes;
    }
  }

  /**
   * A value for monitors of something that a lock guards: as it is now, or, if the lock cannot be
   * had soon, as it was at the last look. A thread may wait for a disk under the lock of a store,
   * and monitors must show a disk that hangs.
   *
   * <p>Thread contract: safe from any thread; an interrupt is kept.
   */
  static final class Cached<T> {
    private static final long PATIENCE_MS = 1_000;

    private final ReentrantLock lock;
    private final Supplier<T> look;
    private volatile T last;

    /** Looks for the first time. */
    Cached(ReentrantLock lock, Supplier<T> look) {
      this.lock = lock;
      this.look = look;
      this.last = look.get();
    }

    T now() {
      boolean locked = false;
      try {
        locked = lock.tryLock() || lock.tryLock(PATIENCE_MS, TimeUnit.MILLISECONDS);
        if (locked) {
          last = look.get();
        }
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      } finally {
        if (locked) {
          lock.unlock();
        }
      }
      return last;
    }
  }
}
