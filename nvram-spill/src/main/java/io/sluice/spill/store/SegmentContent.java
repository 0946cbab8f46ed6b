package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.format.OutputId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * What lies in the segments of a store, for {@link Emptying}.
 *
 * <p>Thread contract: guarded by the lock of the store, but for {@link #moveToDisk}.
 */
final class SegmentContent implements Emptying.Content {
  private final StoreState state;
  private final RelocationOperations relocations;

  SegmentContent(StoreState state, RelocationOperations relocations) {
    this.state = state;
    this.relocations = relocations;
  }

  @Override
  public long leasedBytes(SegmentHandle segment) {
    return state.leased.bytesIn(segment.info().segmentId());
  }

  @Override
  public boolean isQuarantined(SegmentHandle segment) {
    return !state.allocator.quarantined().isDisjoint(segment.range());
  }

  @Override
  public List<CommittedOutput> outputs(int segmentId) {
    return state.outputs.in(segmentId);
  }

  @Override
  public Optional<CommittedOutput> stillIn(int segmentId, OutputId id) {
    return Optional.ofNullable(state.outputs.find(id)).filter(now -> now.place().liesIn(segmentId));
  }

  @Override
  public void reuseFormer(int segmentId) throws IOException {
    Closer closer = new Closer();
    for (OutputLocation place : state.staleExtents.takeIn(segmentId)) { // in memory: none deleted
      closer.run(() -> state.free(place.extents(), new DeferredRelease()));
    }
    closer.finish(DeferredRelease.NOT_ALL);
  }

  @Override
  public void moveToDisk(CommittedOutput output) throws IOException {
    relocations.moveToDisk(output, Long.MAX_VALUE, () -> Long.MAX_VALUE, () -> false);
  }
}
