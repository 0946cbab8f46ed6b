package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.MemorySource.MemoryUse;
import java.io.IOException;
import java.util.Optional;

/**
 * Gives blocks back: decides under the lock of the store which blocks go, and lets disks do their
 * part after the lock. {@link DeferredRelease} carries the work from the one to the other.
 *
 * <p>Thread contract: {@link #run} is called under no lock, all else under the lock of the store.
 * Failure: {@link IOException} of the file systems; the steps that come after are done all the
 * same.
 */
final class ReleaseOperations {
  private final StoreState state;
  private final CommitMarks marks;

  ReleaseOperations(StoreState state, CommitMarks marks) {
    this.state = state;
    this.marks = marks;
  }

  /** Does a step under the lock, and then what it has left for the disks, also if it fails. */
  void run(DeferredRelease.Step step) throws IOException {
    DeferredRelease givenBack = new DeferredRelease();
    try {
      state.whileLocked(() -> runAndTell(step, givenBack));
    } catch (IOException | RuntimeException | Error e) {
      Closer.after(e, () -> finish(givenBack));
      throw e;
    }
    finish(givenBack);
  }

  /** The same as one step of a clean-up; the step may add others to it. */
  void run(Closer closer, DeferredRelease.Step step) {
    closer.run(() -> run(step));
  }

  private void runAndTell(DeferredRelease.Step step, DeferredRelease givenBack) throws IOException {
    try {
      step.run(givenBack);
    } finally {
      givenBack.tell(state.arbiter);
    }
    state.memorySpace.gaveBack();
  }

  /**
   * Does what was left for the disks, under no lock, since they take their time. Marks come first,
   * because clearing one gives back more.
   */
  void finish(DeferredRelease givenBack) throws IOException {
    Closer closer = new Closer();
    for (DeferredRelease.Marked each : givenBack.takeMarked()) {
      closer.run(() -> unmark(each, givenBack));
    }
    givenBack.cuts().forEach((segment, bytes) -> closer.run(() -> cut(segment, bytes)));
    closer.run(() -> state.announced.retire(givenBack.retired()));
    closer.finish(DeferredRelease.NOT_ALL);
  }

  private void unmark(DeferredRelease.Marked marked, DeferredRelease givenBack) throws IOException {
    Optional<IOException> failure = CommitMarks.tryClear(marked.location());
    state.whileLocked(
        () -> {
          if (!state.quiet) {
            runAndTell(to -> giveBack(marked, failure, to), givenBack);
          } else if (failure.isPresent()) {
            throw failure.get(); // the next start finds it
          } // else its blocks are freed by the next start
        });
  }

  /** The blocks stay where they are while their mark stands and may be believed. */
  private void giveBack(
      DeferredRelease.Marked marked, Optional<IOException> failure, DeferredRelease givenBack)
      throws IOException {
    if (failure.isPresent()) {
      marks.disown(marked.location().tail(), failure.get());
    }
    marked.blocks().run(givenBack);
  }

  private void cut(DiskSegment segment, long lengthBytes) {
    IOException failure = null;
    try {
      segment.truncate(lengthBytes);
    } catch (IOException e) {
      failure = e;
    }
    state.lock.lock();
    try {
      if (failure == null) {
        state.allocator.disk().wasCut(segment, lengthBytes);
      } else if (!state.quiet) {
        state.allocator.disk().wasNotCut(segment, failure);
      }
    } finally {
      state.lock.unlock();
    }
  }

  /**
   * Clears marks on disk at once, under the lock. Another location of the same output is about to
   * get its mark, and recovery trusts neither of two outputs with one name.
   */
  void unmarkAtOnce(DeferredRelease givenBack) throws IOException {
    Closer closer = new Closer();
    for (DeferredRelease.Marked each : givenBack.takeMarked()) {
      closer.run(() -> giveBack(each, CommitMarks.tryClear(each.location()), givenBack));
    }
    closer.finish(DeferredRelease.NOT_ALL);
  }

  /** Gives back the room of a copy that was taken from {@link StoreState#copies}. */
  void giveUpCopy(OutputCopies.Copy copy, DeferredRelease givenBack) {
    copy.output().location().release();
    givenBack.unmark(copy.output().location(), to -> state.free(copy.own(), to));
  }

  /** Closes a lease and gives back what it holds, unless a successor is to find it. */
  void end(Lease lease, DeferredRelease givenBack, Closer closer) {
    if (!lease.markClosed() || state.quiet) {
      return;
    }
    state.leases.remove(lease);
    for (MemoryUse use : MemoryUse.values()) {
      for (Range range : lease.held(use).ranges()) {
        lease.held(use).remove(range);
        closer.run(() -> state.allocator.free(range, givenBack));
      }
    }
    state.arbiter.closed(lease);
  }
}
