package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A small pool in a directory of its own; a test that leaks a mapping or a buffer fails. */
abstract class PoolTestBase {
  static final int SEGMENT_BYTES = 1 << 20;
  static final int BLOCK_BYTES = 16 << 10;
  static final String APP = "application_1_0001";

  /** When a disk is taken for one that hangs: not while a busy machine makes a file. */
  static final long SLOW_DISK_MS = 4_000;

  @TempDir Path directory;
  TestPlace place = TestPlace.FILES;
  private long mappedBefore;
  private long allocatedBefore;

  @BeforeEach
  void openBooks() {
    assumePlace();
    mappedBefore = OffHeap.mappedBytes();
    allocatedBefore = OffHeap.allocatedBytes();
  }

  /** Skips the test where the place or the medium is not there. */
  void assumePlace() {
    place.whyNot(directory).ifPresent(Assumptions::abort);
    medium()
        .unavailabilityCause(place.isFiles() ? place.parent(directory) : pool())
        .ifPresent(cause -> Assumptions.abort(medium().name() + " is not available: " + cause));
  }

  @AfterEach
  void checkLeaks() throws IOException {
    place.clean(directory);
    assertEquals(mappedBefore, OffHeap.mappedBytes(), "mapped bytes");
    assertEquals(allocatedBefore, OffHeap.allocatedBytes(), "allocated bytes");
  }

  Medium medium() {
    return place.medium();
  }

  Path pool() {
    return place.pool(directory);
  }

  Path disk() {
    return directory.resolve("disk");
  }

  StoreConfig.Builder config(int segments) {
    int segmentBytes = place.segmentBytes();
    return StoreConfig.builder(pool(), (long) segments * segmentBytes)
        .geometry(segmentBytes, BLOCK_BYTES)
        .medium(medium());
  }

  SpillStore open(StoreConfig config) throws IOException {
    return SpillStore.open(config, place::open);
  }

  StoreConfig.Builder configWithDisk(int segments) {
    return config(segments).disk(List.of(disk()), 0, 0);
  }

  OutputWriter writer(ExtentSource source, int partitionCount) {
    return new OutputWriter(source, medium(), partitionCount, 256 << 10);
  }

  static OutputId id(int number) {
    return new OutputId(APP, "attempt_1_0001_m_" + number + "_0");
  }

  /** A random, whose seed is in the output of the test that failed. */
  static Random seeded(String test) {
    return new Random(TestSeed.next(test));
  }

  /** Those that are to leave memory, in order. */
  static List<OutputId> inMemory(SpillStore store) {
    List<OutputId> ids = new ArrayList<>();
    store.outputsInMemory(APP).forEachRemaining(output -> ids.add(output.id()));
    return ids;
  }

  /** Writes and commits a random output. */
  Outputs.Content commit(ExtentSource source, OutputId id, Random random, int totalBytes)
      throws IOException {
    int partitionCount = 1 + random.nextInt(20);
    Outputs.Content content = Outputs.random(random, partitionCount, totalBytes);
    try (OutputWriter writer = writer(source, partitionCount)) {
      Outputs.write(writer, content, random);
      writer.commit(id);
    }
    return content;
  }

  /**
   * Commits output 1, whose blocks are in memory and whose tail is on disk; returns the tail.
   *
   * @param store with one segment of memory, all of it free by the time it is made
   */
  SegmentHandle straddle(SpillStore store, Random random) throws IOException {
    while (store.stats().memory().createdBytes() < SEGMENT_BYTES) {
      Thread.onSpinWait(); // a lease does not, where all of its time is kept for a slow disk
    }
    byte[] run = new byte[SEGMENT_BYTES + 300_000];
    random.nextBytes(run);
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = writer(lease, 1)) {
      writer.reserveCapacity(run.length); // step by step, a last small one may fit into memory
      Outputs.write(writer, new Outputs.Content(1, List.of(0), List.of(run)), random);
      writer.commit(id(1));
    }
    CommittedOutput output = store.find(id(1)).orElseThrow();
    assertEquals(Tier.MEMORY, output.extents().get(0).segment().tier());
    SegmentHandle tail = output.location().tail();
    assertEquals(Tier.DISK, tail.info().tier());
    return tail;
  }

  /** Is told of segments before the first output in them can be found. */
  static SegmentListener onAdding(Consumer<SegmentHandle> added) {
    return new SegmentListener() {
      @Override
      public void segmentAdded(SegmentHandle segment) {
        added.accept(segment);
      }

      @Override
      public void segmentRemoved(SegmentHandle segment) {}
    };
  }

  /** Is told of segments that go. */
  static SegmentListener onRemoval(Consumer<SegmentHandle> removed) {
    return new SegmentListener() {
      @Override
      public void segmentAdded(SegmentHandle segment) {}

      @Override
      public void segmentRemoved(SegmentHandle segment) {
        removed.accept(segment);
      }
    };
  }

  /** The whole capacity of the memory tier can be leased again. */
  static void assertAllFree(SpillStore store) throws IOException {
    StoreStats stats = store.stats();
    assertEquals(0, stats.memory().usedBytes(), "used bytes of the memory tier");
    assertEquals(0, stats.disk().createdBytes(), "bytes of the disk tier");
    if (stats.memory().capacityBytes() == 0) {
      return;
    }
    try (Lease lease = store.openLease(APP)) {
      lease.lease(stats.memory().capacityBytes());
      assertEquals(stats.overflows(), store.stats().overflows());
    }
  }
}
