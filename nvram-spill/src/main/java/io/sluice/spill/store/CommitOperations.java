package io.sluice.spill.store;

import static io.sluice.spill.store.StoreState.memoryBytesOf;

import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreFullException.HeapShareException;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;

/**
 * Commits outputs: loads what a task has written, checks all of it, and publishes it with its mark.
 *
 * <p>Thread contract: {@link #commit} is called under no lock, from any thread. Failure: {@link
 * CorruptOutputException} when the output does not hold what it says or claims what is not leased
 * to it; {@link HeapShareException}; {@link IOException} of the file systems. The output does not
 * exist then, and the lease keeps its blocks.
 */
final class CommitOperations {
  private final StoreState state;
  private final CommitMarks marks;
  private final ReleaseOperations releases;
  private final FreeOperations frees;

  CommitOperations(
      StoreState state, CommitMarks marks, ReleaseOperations releases, FreeOperations frees) {
    this.state = state;
    this.marks = marks;
    this.releases = releases;
    this.frees = frees;
  }

  /**
   * Commits an output of a lease; idempotent, since the answer may have been lost.
   *
   * @param mayReplace whether another output of the same name is freed in the same moment
   */
  void commit(Lease lease, OutputStamp stamp, FooterLocation trailer, boolean mayReplace)
      throws IOException {
    long mostExtents = mostExtents(lease); // first: it gives its blocks to what it commits
    if (isCommitted(lease, stamp)) {
      return; // and what lies there now may be another one's
    }
    CommittedOutput output = state.loader.load(trailer, lease.owner(), mostExtents);
    if (!output.identity().stamp().equals(stamp)) {
      throw new CorruptOutputException(
          "what ends at %s is of %s, %s, expected %s"
              .formatted(trailer, output.id(), output.identity().stamp(), stamp));
    }
    pinClaimed(lease, output); // first: nothing of others is looked at by name, or registered
    try {
      List<SegmentHandle> written = output.extents().stream().map(state::segmentOf).toList();
      SegmentHandle.checkAnswers(written); // to register them is to look at the files
      checkWhole(written);
      state.announced.announce(written);
      releases.run(givenBack -> publish(lease, output, mayReplace, givenBack));
    } catch (HeapShareException e) {
      state.shareRefused(lease, e);
      throw e;
    } finally {
      unpin(output);
    }
  }

  /** An extent has a block of its own, which is leased, or was before a restart. */
  private long mostExtents(Lease lease) {
    return state.locked(
        () ->
            (lease.held().bytes() + state.allocator.quarantined().bytes())
                / state.config.blockBytes());
  }

  /** Whether it is there already: its answer may have been lost. */
  private boolean isCommitted(Lease lease, OutputStamp stamp) throws IOException {
    return state.locked(
        () -> {
          state.checkUsable(lease);
          if (!stamp.id().applicationId().equals(lease.applicationId())) {
            throw new CorruptOutputException(
                stamp.id() + " cannot be committed by a lease of " + lease.applicationId());
          }
          CommittedOutput held = state.outputs.find(stamp.id());
          return held != null && held.identity().stamp().equals(stamp);
        });
  }

  /**
   * Checks the same as {@link #publish} will again, and sees to it that no other file takes the
   * place of a segment that is registered meanwhile.
   */
  private void pinClaimed(Lease lease, CommittedOutput output) throws IOException {
    state.whileLocked(
        () -> {
          state.checkUsable(lease);
          CommittedOutput former = state.outputs.find(output.id());
          if (former == null || !former.identity().equals(output.identity())) {
            checkHeld(lease, output);
          }
          output.extents().forEach(extent -> state.holders.pin(extent.segment().segmentId()));
        });
  }

  private void unpin(CommittedOutput output) {
    state.whileLocked(
        () -> {
          output.extents().forEach(extent -> state.holders.unpin(extent.segment().segmentId()));
          state.memorySpace.wake();
        });
  }

  private void checkHeld(Lease lease, CommittedOutput output) throws IOException {
    boolean resumed = false;
    for (Extent extent : output.extents()) {
      BlockSet holder = state.holder(lease, extent.range());
      if (!holder.contains(extent.range())) {
        throw new CorruptOutputException(
            output.id() + " claims " + extent.range() + ", which is not leased to it");
      }
      SegmentHandle segment = state.allocator.segment(extent.segment().segmentId());
      if (!segment.owner().equals(lease.owner())) {
        throw new CorruptOutputException(
            output.id() + " claims " + extent.range() + ", which is another owner's");
      }
      resumed |= holder != lease.held();
    }
    long generation = output.location().generation();
    boolean former = resumed && generation >= 0 && generation < state.recoveredGenerationBound;
    if (generation != lease.info().generation() && !former
        || generation != output.identity().writerGeneration()) {
      throw new CorruptOutputException(
          "%s has generation %s and a writer's of %s, expected %s for both"
              .formatted(
                  output.id(),
                  generation,
                  output.identity().writerGeneration(),
                  lease.info().generation()));
    }
  }

  /** Checks that no segment is cut now; a later cut is found when the segment is read. */
  private void checkWhole(List<SegmentHandle> written) throws IOException {
    for (SegmentHandle segment : new HashSet<>(written)) {
      if (segment == null) {
        continue; // gone, which is found next
      }
      try {
        segment.checkWhole();
      } catch (CorruptOutputException e) {
        if (segment.info().tier() == Tier.MEMORY) {
          spoil(segment);
        }
        throw e;
      }
    }
  }

  private void spoil(SegmentHandle segment) {
    state.whileLocked(
        () -> {
          if (state.allocator.segment(segment.info().segmentId()) == segment) {
            state.allocator.memory().damaged(segment);
          }
        });
  }

  private void publish(
      Lease lease, CommittedOutput output, boolean mayReplace, DeferredRelease givenBack)
      throws IOException {
    OutputId id = output.id();
    state.checkUsable(lease);
    CommittedOutput former = state.outputs.find(id);
    if (former != null && former.identity().equals(output.identity())) {
      return; // somebody asked again, and was faster
    }
    if (former != null && !mayReplace) {
      throw new IOException(
          "%s is committed already, with generation %s; it cannot be committed again with %s"
              .formatted(id, former.location().generation(), output.location().generation()));
    }
    checkHeld(lease, output);
    if (former == null) {
      long heapBytes = HeapShares.outputBytes(output.extents().size());
      state
          .allocator
          .heap()
          .check(lease.owner(), heapBytes, () -> state.leased.isServingOthers(lease.owner()));
    }
    if (former != null) {
      frees.free(former, givenBack);
      releases.unmarkAtOnce(givenBack);
    }
    marks.set(output);
    for (Extent extent : output.extents()) {
      BlockSet holder = state.holder(lease, extent.range());
      holder.remove(extent.range());
      long memoryBytes = memoryBytesOf(List.of(extent));
      if (memoryBytes > 0 && holder == lease.held()) {
        state.arbiter.committed(lease, memoryBytes);
      } else if (memoryBytes > 0) {
        state.arbiter.resumed(id.applicationId(), memoryBytes);
      }
    }
    state.outputs.add(output);
    state.copyLater(output);
  }
}
