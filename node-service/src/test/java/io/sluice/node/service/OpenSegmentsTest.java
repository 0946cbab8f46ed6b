package io.sluice.node.service;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Range;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
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
}
