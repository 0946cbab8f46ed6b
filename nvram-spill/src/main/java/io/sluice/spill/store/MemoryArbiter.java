package io.sluice.spill.store;

import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.IOException;

/**
 * Decides how much of the memory tier each task may have, and is told of all that becomes of it.
 *
 * <p>Thread contract: safe from any thread. {@link #ask} may wait, and is called under no lock. All
 * others are called under the lock of the store, in the order of events, and return at once without
 * calling the store. Ownership: the caller that opens the store. Failure: memory that it does not
 * grant is leased from the disk tier.
 */
public interface MemoryArbiter {
  /** Grants all that there is to the first that asks. */
  MemoryArbiter NONE =
      new MemoryArbiter() {
        @Override
        public long ask(Lease lease, long bytes, boolean contiguous, boolean last, long timeoutMs) {
          return bytes;
        }

        @Override
        public boolean askNow(Lease lease, MemoryUse use, long bytes) {
          return true;
        }

        @Override
        public void gaveBack(Lease lease, MemoryUse use, long bytes) {}

        @Override
        public void committed(Lease lease, long bytes) {}

        @Override
        public void closed(Lease lease) {}

        @Override
        public void stopped(String applicationId) {}

        @Override
        public void freed(String applicationId, long bytes) {}

        @Override
        public void moved(String applicationId, long bytes) {}

        @Override
        public void recovered(String applicationId, long bytes) {}

        @Override
        public void quarantined(long bytes) {}

        @Override
        public void resumed(String applicationId, long bytes) {}

        @Override
        public void reviewed(long bytes) {}
      };

  /**
   * A lease wants whole blocks to write to; it holds what it is granted from now on.
   *
   * @param contiguous whether less is of no use
   * @param last whether there is no room on the disk tier
   * @param timeoutMs longest wait
   * @return how much of it may be of the memory tier
   */
  long ask(Lease lease, long bytes, boolean contiguous, boolean last, long timeoutMs)
      throws IOException;

  /**
   * A lease wants whole blocks for that, in one piece, and does not wait; it holds them from now
   * on.
   */
  boolean askNow(Lease lease, MemoryUse use, long bytes) throws IOException;

  /** A lease holds so much less, or has not taken what it was granted. */
  void gaveBack(Lease lease, MemoryUse use, long bytes);

  /** A lease has committed these bytes; they are its application's now. */
  void committed(Lease lease, long bytes);

  /** A lease has ended, and holds nothing; idempotent. */
  void closed(Lease lease);

  /** An application has ended. */
  void stopped(String applicationId);

  /** Outputs of an application were freed. */
  void freed(String applicationId, long bytes);

  /** An output of an application has left the memory tier. */
  void moved(String applicationId, long bytes);

  /** Outputs of an application were found at the start. */
  void recovered(String applicationId, long bytes);

  /** Blocks without an output were found at the start. */
  void quarantined(long bytes);

  /** Some of these were committed all the same. */
  void resumed(String applicationId, long bytes);

  /** Some of these can be granted. */
  void reviewed(long bytes);
}
