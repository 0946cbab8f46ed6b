package io.sluice.spill.store;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.Emptying.SegmentContent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * Fills a store that is being opened with what a former one left: its segments, and the outputs
 * that {@link Recovery} finds in them. Blocks that no output claims go to the {@link Quarantine}.
 *
 * <p>Thread contract: for the thread that opens the store, before any other knows it. Failure:
 * {@link IOException} of the memory tier; the store cannot be opened then.
 */
final class RecoveryOperations {
  private final StoreState state;
  private final CommitMarks marks;
  private final ReleaseOperations releases;
  private final Quarantine quarantine;

  RecoveryOperations(
      StoreState state, CommitMarks marks, ReleaseOperations releases, Quarantine quarantine) {
    this.state = state;
    this.marks = marks;
    this.releases = releases;
    this.quarantine = quarantine;
  }

  /**
   * Opens the segments, gives the store its {@link MemorySpace}, and recovers the outputs.
   *
   * @param content tells the memory space what lies in segments
   */
  void recover(SegmentContent content) throws IOException {
    openSegments();
    state.memorySpace =
        new MemorySpace(
            state.config,
            state.files,
            state.allocator.memory(),
            isShared(),
            state.holders,
            content,
            state.announced,
            state.lock,
            state.nanoTime);
    recoverOutputs();
  }

  private boolean isShared() {
    return state.config.shared() && state.files.memory().servesOwners()
        || state.allocator.memory().segments().stream()
            .anyMatch(segment -> !segment.owner().equals(state.files.owner()));
  }

  private void openSegments() throws IOException {
    for (int segmentId : state.files.memory().segmentIds()) {
      state.allocator.memory().add(state.files.memory().open(segmentId));
    }
    for (int segmentId : state.files.memory().freeIds()) {
      state.files.leaseMarks().freed(new Range(segmentId, 0, state.config.segmentBytes()));
      state.allocator.memory().addNobodys(segmentId);
    }
    for (Path path : state.files.diskSegments()) {
      state.allocator.disk().open(path);
    }
    state.announced.announce(state.allSegments());
  }

  private void recoverOutputs() throws IOException {
    List<SegmentHandle> segments = state.allSegments();
    BlockSet unclaimed = state.allocator.quarantined();
    segments.forEach(segment -> unclaimed.add(segment.range()));
    Recovery recovery =
        new Recovery(
            state.loader,
            state.config.blockBytes(),
            state.recoveredGenerationBound,
            state.config.applicationOwners(),
            state.allocator.disk()::disown,
            state.config.copiesOutputs());
    List<CommittedOutput> found = recovery.scan(segments);
    Map<OutputId, CommittedOutput> copied = recovery.copies();
    for (CommittedOutput output : found) {
      output.extents().forEach(extent -> unclaimed.remove(extent.range()));
      state.outputs.add(output);
      if (copied.containsKey(output.id())) {
        OutputCopies.Copy copy = state.copies.add(copied.get(output.id()), output);
        copy.own().forEach(extent -> unclaimed.remove(extent.range()));
      }
      state.arbiter.recovered(output.id().applicationId(), output.location().bytesOf(Tier.MEMORY));
      state.copyLater(output);
    }
    state.arbiter.quarantined(unclaimed.bytesOf(Tier.MEMORY));
    state.forgedOutputs = recovery.forged();
    state.files.beginEpoch(); // first: what is not here now must not come back once this is reused
    for (CommittedOutput left : recovery.left()) {
      if (isFree(left, unclaimed)) {
        marks.clear(
            left.location()); // else it is found once more, and the later location perhaps not
      }
    }
    DeferredRelease givenBack = new DeferredRelease();
    quarantine.releaseNeverGranted(givenBack);
    releases.finish(givenBack);
    quarantine.review();
  }

  /**
   * Whether no output claims the blocks of a location, except for those that are part of the
   * output's other location too.
   */
  private boolean isFree(CommittedOutput left, BlockSet unclaimed) {
    CommittedOutput held = state.outputs.find(left.id());
    List<Extent> beside =
        held != null && held.hasTheBytesOf(left)
            ? left.location().extentsBeside(held.location())
            : left.extents();
    return beside.stream().allMatch(extent -> unclaimed.contains(extent.range()));
  }
}
