package io.sluice.spill.store;

import io.sluice.spill.segment.Extent;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * An {@link ExtentSource} that also lends memory which is no output's. It is released like any
 * other extent, and never committed.
 *
 * <p>Thread contract, ownership, failure: those of {@link ExtentSource}.
 */
public interface MemorySource extends ExtentSource {
  /**
   * Leases one extent of the memory tier, without waiting for anybody to give some back.
   *
   * @param lengthBytes at least so much
   * @return empty if there is none for that use now
   */
  Optional<Extent> leaseMemory(MemoryUse use, long lengthBytes) throws IOException;

  /**
   * Leases extents of the disk tier of at least {@code lengthBytes} in sum.
   *
   * @throws StoreFullException if it is full, or there is none
   */
  List<Extent> leaseDisk(long lengthBytes) throws IOException;

  /** The use for which a lease takes blocks of the memory tier. */
  public enum MemoryUse {
    /** An output that is being written, and may be committed where it lies. */
    WRITING,
    /** Chunks of a sort buffer, which nobody else ever reads. */
    SORT,
    /** Received bytes that a task keeps until it has merged them; the first to be revoked. */
    RECEIVE
  }
}
