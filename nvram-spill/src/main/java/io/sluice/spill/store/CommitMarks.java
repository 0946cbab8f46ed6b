package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.util.Optional;

/**
 * Sets and clears the commit marks of outputs, and decides what follows when a mark could not be
 * written: recovery believes every mark that it finds.
 *
 * <p>Thread contract: guarded by the lock of the store, but for {@link #tryClear}. Failure: {@link
 * IOException} if it is not known what the mark says. A file of the disk tier whose mark is wrong
 * is never used again, and the next start does not believe its directory.
 */
final class CommitMarks {
  private final Allocator allocator;
  private final PoolFiles files;

  CommitMarks(Allocator allocator, PoolFiles files) {
    this.allocator = allocator;
    this.files = files;
  }

  /**
   * Makes an output exist. If it fails, the output does not exist, although the mark may be there.
   */
  void set(CommittedOutput output) throws IOException {
    try {
      output.location().mark();
    } catch (
        DiskThread.NotBegunException e) { // the mark is not there, and the file can be believed
      allocator.disk().failed(output.location().tail(), e);
      throw e;
    } catch (IOException | RuntimeException | Error e) {
      takeBackAfter(e, output);
      throw e;
    }
  }

  /** Clears the mark of an output after a failure, which is what the caller is told. */
  void takeBackAfter(Throwable failure, CommittedOutput output) {
    Closer.after(failure, () -> takeBack(output, failure));
  }

  private void takeBack(CommittedOutput output, Throwable failure) throws IOException {
    SegmentHandle tail = output.location().tail();
    if (tail.info().tier() == Tier.DISK && failure instanceof IOException e) {
      disown(tail, e); // and not waited for a second time
    } else {
      output.location().clearMark();
    }
  }

  /** The output no longer exists at that location, or nobody will believe that it does. */
  void clear(OutputLocation location) throws IOException {
    try {
      location.clearMark();
    } catch (IOException e) {
      SegmentHandle tail = location.tail();
      if (tail.info().tier() == Tier.DISK) {
        disown(tail, e); // the file is never used again, nor believed
      } else if (tail.isTrusted()) {
        throw e; // its blocks must not be granted again while the mark says that it exists
      } else {
        allocator.memory().damaged(tail); // the mark goes with the file
      }
    }
  }

  /** Clears a mark under no lock; returns why it may still be there. */
  static Optional<IOException> tryClear(OutputLocation location) {
    try {
      location.clearMark();
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(e);
    } catch (RuntimeException | Error e) { // somebody must know its blocks all the same
      return Optional.of(new IOException("a mark could not be cleared: " + e, e));
    }
  }

  /**
   * A file has a mark that is no longer true. The blocks that the mark claims may be reused after
   * this.
   */
  void disown(SegmentHandle segment, IOException cause) throws IOException {
    if (allocator.disk().disown(segment, cause) || files.isEpochDue()) {
      files.beginEpoch();
    }
  }
}
