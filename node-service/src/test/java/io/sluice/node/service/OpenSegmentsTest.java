package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Range;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class OpenSegmentsTest {
  private static final int SEGMENT_BYTES = 1 << 20;

  @TempDir Path dir;

  @AfterEach
  void clearFlag() {
    Thread.interrupted();
  }

  /** A task that is being killed gives back what it held; the segments go though. */
  @Test
  void segmentsComeAndGoOnAnInterruptedThread() throws Exception {
    StoreConfig config =
        StoreConfig.builder(dir.resolve("pool"), SEGMENT_BYTES)
            .geometry(SEGMENT_BYTES, 16 << 10)
            .build();
    try (SpillStore store = SpillStore.open(config)) {
      store.openLease("application_1_0001").lease(1); // there is a segment now
      SegmentHandle segment = store.segment(0).orElseThrow();
      List<Range> ranges = List.of(new Range(0, 0, 100));
      OpenSegments open = new OpenSegments();
      Thread.currentThread().interrupt();
      open.add(segment);
      ByteBuffer bytes = ByteBuffer.allocate(100);
      open.copy(ranges.get(0), bytes);
      assertEquals(0, bytes.remaining());
      open.remove(segment);
      assertThrows(IOException.class, () -> open.copy(ranges.get(0), bytes.clear()));
      assertTrue(Thread.interrupted(), "the flag is not its to clear");
    }
  }

  /** A disk that hangs under one copy holds up neither other copies nor other segments. */
  @Test
  @Timeout(300)
  void aCopyThatHangsIsInNobodysWay() throws Exception {
    StoreConfig config =
        StoreConfig.builder(dir.resolve("pool"), SEGMENT_BYTES)
            .geometry(SEGMENT_BYTES, 16 << 10)
            .disk(List.of(dir.resolve("disk")), 0, 0)
            .build();
    try (SpillStore store = SpillStore.open(config);
        Lease lease = store.openLease("application_1_0001")) {
      SegmentHandle memory = handle(store, lease.lease(SEGMENT_BYTES));
      SegmentHandle onDisk = handle(store, lease.lease(16 << 10));
      OpenSegments open = new OpenSegments();
      open.add(onDisk);
      CompletableFuture<Integer> hanging;
      synchronized (onDisk.file()) {
        hanging = CompletableFuture.supplyAsync(() -> copied(open, onDisk));
        open.add(memory);
        assertEquals(100, copied(open, memory));
        open.remove(memory);
      }
      assertEquals(100, hanging.join());
      open.removeAll();
    }
  }

  private static SegmentHandle handle(SpillStore store, List<Extent> extents) {
    return store.segment(extents.get(0).segment().segmentId()).orElseThrow();
  }

  private static int copied(OpenSegments open, SegmentHandle segment) {
    ByteBuffer bytes = ByteBuffer.allocate(100);
    try {
      open.copy(new Range(segment.info().segmentId(), 0, 100), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.position();
  }
}
