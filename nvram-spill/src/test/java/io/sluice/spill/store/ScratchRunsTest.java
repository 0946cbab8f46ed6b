package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.BlockChecksumsTest;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.writer.ScratchRuns;
import io.sluice.spill.writer.ScratchRuns.ScratchRun;
import io.sluice.spill.writer.WriteTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Runs that nobody commits. */
class ScratchRunsTest extends PoolTestBase {
  private static final int WINDOW_BYTES = 10_000;

  private SpillStore store;
  private Lease lease;

  private ScratchRuns scratch(StoreConfig config) throws IOException {
    store = SpillStore.open(config);
    lease = store.openLease(APP);
    return new ScratchRuns(WriteTarget.mapped(lease, medium()), 64 << 10);
  }

  @AfterEach
  void everythingIsGivenBack() throws IOException {
    assertEquals(0, store.stats().memory().leasedBytes());
    assertEquals(0, store.stats().disk().leasedBytes());
    lease.close();
    store.close();
  }

  private static byte[] random(Random random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static byte[] read(ScratchRuns runs, ScratchRun run) throws IOException {
    byte[] bytes = new byte[(int) run.lengthBytes()];
    try (RunInput input = runs.open("a run", run, WINDOW_BYTES)) {
      for (int done = 0; done < bytes.length; ) {
        done += input.read(bytes, done, bytes.length - done);
      }
      assertEquals(-1, input.read(new byte[1], 0, 1));
    }
    return bytes;
  }

  @Test
  void endedRunsAreReadWhileTheNextOneIsWritten() throws Exception {
    Random random = seeded("endedRunsAreReadWhileTheNextOneIsWritten");
    List<byte[]> expected = new ArrayList<>();
    List<ScratchRun> ended = new ArrayList<>();
    try (ScratchRuns runs = scratch(configWithDisk(3).build())) {
      for (int length : new int[] {100_000, 0, 1, 2_500_000, 1_000_000, 70_000}) {
        byte[] bytes = random(random, length);
        for (int done = 0; done < length; ) {
          int next = Math.min(length - done, 1 + random.nextInt(50_000));
          runs.write(bytes, done, next);
          done += next;
          if (!ended.isEmpty() && random.nextInt(10) == 0) {
            int one = random.nextInt(ended.size());
            assertArrayEquals(expected.get(one), read(runs, ended.get(one)));
          }
        }
        expected.add(bytes);
        ended.add(runs.endRun());
      }
      assertEquals(3_670_001, runs.lengthBytes());
      runs.endWriting();
      runs.closeFiles();
      for (int i = 0; i < ended.size(); i++) {
        assertArrayEquals(expected.get(i), read(runs, ended.get(i)));
        assertEquals(BlockChecksumsTest.naive(expected.get(i)), ended.get(i).checksums());
      }
      long memoryBytes = ended.stream().mapToLong(ScratchRun::memoryBytes).sum();
      assertTrue(memoryBytes > 0 && memoryBytes < 3_670_001, memoryBytes + " bytes in memory");
    }
  }

  @Test
  void theEndOfWritingGivesBackWhatNoRunHas() throws Exception {
    try (ScratchRuns runs = scratch(config(3).build())) {
      runs.reserve(2_000_000);
      runs.write(new byte[100_000], 0, 100_000);
      ScratchRun run = runs.endRun();
      runs.endWriting();
      assertEquals(7 * BLOCK_BYTES, store.stats().memory().leasedBytes());
      assertArrayEquals(new byte[100_000], read(runs, run));
    }
  }

  @Test
  void whatFoundRoomInAFullStoreIsARunThatCanBeRead() throws Exception {
    byte[] bytes =
        random(seeded("whatFoundRoomInAFullStoreIsARunThatCanBeRead"), 4 * SEGMENT_BYTES);
    ByteBuffer source = ByteBuffer.wrap(bytes);
    try (ScratchRuns runs = scratch(config(3).build())) {
      assertThrows(StoreFullException.class, () -> runs.write(source));
      int written = source.position();
      assertTrue(written > 0 && written < bytes.length, written + " bytes found room");
      assertEquals(written, runs.lengthBytes());
      ScratchRun run = runs.endRun();
      byte[] expected = Arrays.copyOf(bytes, written);
      assertEquals(written, run.lengthBytes());
      assertEquals(BlockChecksumsTest.naive(expected), run.checksums());
      assertArrayEquals(expected, read(runs, run));
    }
  }
}
