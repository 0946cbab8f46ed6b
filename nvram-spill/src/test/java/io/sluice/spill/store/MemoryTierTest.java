package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.sluice.rdma.memory.Closer;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MemoryTierTest {
  private static final int BLOCK_BYTES = 64 << 10;
  private static final int SEGMENT_BYTES = 1 << 20;

  private static final Owner OWNER = new Owner(1001);

  private final FailingArea area = new FailingArea();
  private final StoreConfig config =
      StoreConfig.builder(Path.of("pool"), 2 * SEGMENT_BYTES)
          .geometry(SEGMENT_BYTES, BLOCK_BYTES)
          .build();
  private final MemoryTier tier =
      new MemoryTier(config, new LeaseMarks(area, config), null, System::nanoTime);

  private static SegmentHandle segment(int id) {
    SegmentInfo info = new SegmentInfo(id, Tier.MEMORY, Path.of("pool", "" + id), SEGMENT_BYTES);
    return new MemorySegment(info, OWNER, true, null, null, new PlainMedium());
  }

  @Test
  void takesNothingWhenTheMarkOfASecondPieceFails() throws IOException {
    tier.addFree(segment(0));
    tier.addFree(segment(1));
    area.failAfter(1);
    assertThrows(IOException.class, () -> tier.take(OWNER, 2 * SEGMENT_BYTES, false));
    assertEquals(2 * SEGMENT_BYTES, tier.freeBytes());
    assertEquals(2, tier.take(OWNER, 2 * SEGMENT_BYTES, false).size());
  }

  @Test
  void oneMarkThatFailsKeepsNoOtherPieceFromBeingGivenBack() throws IOException {
    tier.addFree(segment(0));
    tier.addFree(segment(1));
    List<Extent> taken = tier.take(OWNER, 2 * SEGMENT_BYTES, false);
    area.failAfter(0);
    assertThrows(IOException.class, () -> tier.giveBack(taken));
    assertEquals(2 * SEGMENT_BYTES, tier.freeBytes());
    assertEquals(List.of(), taken);
  }

  @Test
  void anErrorInOneMarkKeepsNoOtherPieceFromBeingGivenBack() throws IOException {
    tier.addFree(segment(0));
    tier.addFree(segment(1));
    List<Extent> taken = tier.take(OWNER, 2 * SEGMENT_BYTES, false);
    area.failAfter(0, new InternalError("a fault in mapped memory, expected by this test"));
    assertThrows(InternalError.class, () -> tier.giveBack(taken));
    assertEquals(2 * SEGMENT_BYTES, tier.freeBytes());
  }

  @Test
  void anErrorWhileItIsGivenBackHidesNoFailure() throws IOException {
    tier.addFree(segment(0));
    tier.addFree(segment(1));
    List<Extent> taken = tier.take(OWNER, 2 * SEGMENT_BYTES, false);
    InternalError fault = new InternalError("a fault in mapped memory, expected by this test");
    area.failAfter(0, fault);
    IOException failure = new IOException("expected by this test");
    Closer.after(failure, () -> tier.giveBack(taken));
    assertSame(fault, failure.getSuppressed()[0]);
    assertEquals(2 * SEGMENT_BYTES, tier.freeBytes());
    List<Extent> again = tier.take(OWNER, SEGMENT_BYTES, false);
    area.failAfter(0, fault);
    Closer.after(fault, () -> tier.giveBack(again)); // the JVM has some errors once only
  }
}
