package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a lease waits for, where nobody makes a segment: its threads do not run. */
class MemorySpaceTest extends PoolTestBase {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final int SEGMENTS = 16;
  private static final int KEPT = SEGMENTS / 8;

  private final ReentrantLock lock = new ReentrantLock();
  private PoolFiles files;
  private MemoryTier memory;
  private MemorySpace room;

  @BeforeEach
  void open() throws IOException {
    StoreConfig config =
        config(SEGMENTS).disk(List.of(disk()), 0, 0).shared().fillTimeoutMs(1).build();
    files = PoolFiles.open(config, place::open);
    memory = new MemoryTier(config, files.leaseMarks(), MemorySpaceTest::segment, System::nanoTime);
    room =
        new MemorySpace(
            config,
            files,
            memory,
            true,
            new SegmentHold.Holders(),
            null, // nothing is emptied
            null, // or announced
            lock,
            System::nanoTime);
    lock.lock();
  }

  @AfterEach
  void close() throws IOException {
    lock.unlock();
    files.close();
  }

  private static SegmentHandle segment(int id, Owner owner) {
    SegmentInfo info = new SegmentInfo(id, Tier.MEMORY, Path.of("pool", "" + id), SEGMENT_BYTES);
    return new MemorySegment(info, owner, true, null, null, new PlainMedium());
  }

  /** Ann and bob have all but two of the segments that ann may have, and those that are kept. */
  private void fill() throws IOException {
    for (int id = 0; id < SEGMENTS - KEPT - 1; id++) {
      memory.addNobodys(id);
    }
    memory.take(BOB, SEGMENT_BYTES, false);
    memory.take(ANN, (long) (SEGMENTS - KEPT - 3) * SEGMENT_BYTES, false);
  }

  private String await(int segments) throws IOException {
    return room.await(ANN, (long) segments * SEGMENT_BYTES, false, false, 1, () -> {});
  }

  @Test
  void aLeaseWaitsForWhatItsOwnerMayHave() throws IOException {
    fill();
    assertEquals("", await(1));
    assertEquals(" (the next segment did not come within 1 ms)", await(2));
  }

  /** It has what its owner may have at once, and the rest goes to disk. */
  @Test
  void aLeaseThatIsLongerThanItsOwnersShareWaitsForNothingBeyondIt() throws IOException {
    fill();
    memory.addNobodys(SEGMENTS - KEPT - 1);
    assertEquals("", await(2));
    String kept =
        " (user id 1001 has %d segments and may have 2 more; the rest is kept for others)"
            .formatted(SEGMENTS - KEPT - 3);
    assertEquals(kept, await(3));
    assertEquals(kept, await(SEGMENTS));
  }
}
