package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class SegmentListenerTest extends PoolTestBase {
  @Test
  void everySegmentComesOnceAndGoesOnce() throws Exception {
    Random random = seeded("everySegmentComesOnceAndGoesOnce");
    Recorder recorder = new Recorder();
    try (SpillStore store = SpillStore.open(configWithDisk(2).segmentListener(recorder).build());
        Lease lease = store.openLease(APP)) {
      lease.lease(2 * SEGMENT_BYTES);
      for (int i = 0; i < 3; i++) {
        commit(lease, id(i), random, 400_000);
      }
      Set<Integer> expected = new HashSet<>(Set.of(0, 1));
      for (int i = 0; i < 3; i++) {
        store
            .find(id(i))
            .orElseThrow()
            .extents()
            .forEach(extent -> expected.add(extent.segment().segmentId()));
      }
      assertEquals(expected, recorder.present);
      store.freeApplication(APP);
      assertEquals(Set.of(0, 1), recorder.present);
    }
  }

  @Test
  void recoveredSegmentsAreAnnounced() throws Exception {
    Random random = seeded("recoveredSegmentsAreAnnounced");
    SpillStore first = SpillStore.open(configWithDisk(2).build());
    try (Lease both = first.openLease(APP)) { // or the second may come when the first was listed
      both.lease(2 * SEGMENT_BYTES);
    }
    commit(first.openLease(APP), id(1), random, 4_000_000);
    List<Integer> segments = first.segments().stream().map(SegmentInfo::segmentId).toList();
    first.close();
    Recorder recorder = new Recorder();
    StoreConfig config = configWithDisk(2).segmentListener(recorder).recover(Set.of()).build();
    try (SpillStore second = SpillStore.open(config)) {
      assertEquals(new HashSet<>(segments), recorder.present);
      second.freeApplication(APP);
      assertEquals(Set.of(0, 1), recorder.present);
    }
  }

  /** Whoever reads it holds up that it goes, and nothing else. */
  @Test
  @Timeout(300)
  void aSegmentThatCannotGoYetHoldsUpNoOther() throws Exception {
    Random random = seeded("aSegmentThatCannotGoYetHoldsUpNoOther");
    CountDownLatch going = new CountDownLatch(1);
    CountDownLatch mayGo = new CountDownLatch(1);
    SegmentListener reader =
        onRemoval(
            segment -> {
              going.countDown();
              awaitUninterruptibly(mayGo);
            });
    try (SpillStore store = SpillStore.open(configWithDisk(0).segmentListener(reader).build());
        Lease lease = store.openLease(APP)) {
      commit(lease, id(1), random, 300_000);
      CompletableFuture<Void> freed = CompletableFuture.runAsync(() -> free(store, id(1)));
      going.await();
      Outputs.Content content = commit(lease, id(2), random, 300_000);
      Outputs.check(store, id(2), content);
      mayGo.countDown();
      freed.join();
    }
  }

  private static void awaitUninterruptibly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private static void free(SpillStore store, OutputId id) {
    try {
      store.freeOutput(id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static final class Recorder implements SegmentListener {
    private final Set<Integer> present = Collections.synchronizedSet(new HashSet<>());

    @Override
    public void segmentAdded(SegmentHandle segment) {
      assertTrue(present.add(segment.info().segmentId()), "twice: " + segment.info());
    }

    @Override
    public void segmentRemoved(SegmentHandle segment) {
      assertTrue(present.remove(segment.info().segmentId()), "unknown: " + segment.info());
      try {
        assertTrue(segment.file().lengthBytes() > 0);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }
}
