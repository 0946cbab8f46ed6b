package io.sluice.node.socket;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.RecoveredLeases;
import io.sluice.spill.store.SegmentHandle;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.testing.TestOutput;
import io.sluice.spill.testing.TestPool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A service that dies while an output leaves memory: its half-written copy is nobody's. */
@Timeout(300)
class MoveCrashTest {
  private static final String APP = "application_1_0001";

  @TempDir private Path directory;

  private static void copyAll(Path from, Path to) {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path each : files.filter(file -> !file.toString().contains(".lock")).toList()) {
        Files.copy(each, to.resolve(from.relativize(each)));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatWasHalfWrittenIsFreeAtTheNextStart() throws Exception {
    Path before = Files.createDirectory(directory.resolve("before"));
    Path after = directory.resolve("after");
    LeaseRecords records = LeaseRecords.open(before.resolve("socket"), false);
    try (SpillStore store =
        SpillStore.open(
            TestPool.withDisk(before, 2)
                .formerLeases(records)
                .segmentListener(
                    new SegmentListener() {
                      @Override
                      public void segmentAdded(SegmentHandle segment) {
                        if (segment.info().tier() == Tier.DISK) {
                          copyAll(before, after); // as if it died here
                        }
                      }

                      @Override
                      public void segmentRemoved(SegmentHandle segment) {}
                    })
                .build())) {
      CommittedOutput output;
      try (Lease lease = store.openLease(APP)) {
        TestOutput.single(new Random(1), "output", 500_000).commit(APP, lease);
        output = store.outputs(APP).get(0);
      }
      assertTrue(store.moveToDisk(output, () -> true) > 0);
    }
    try (SpillStore store =
        SpillStore.open(
            TestPool.withDisk(after, 2)
                .formerLeases(LeaseRecords.open(after.resolve("socket"), true))
                .recover(Set.of(APP))
                .build())) {
      assertEquals(1, store.stats().outputs());
      assertEquals(0, store.stats().disk().quarantinedBytes(), "the application goes on");
      assertEquals(0, store.stats().disk().createdBytes());
    }
    try (Stream<Path> left = Files.list(before.resolve("leases"))) {
      assertEquals(0, left.count(), "records of what has ended");
    }
  }

  /** It dies with its last word of the lease: what was written must be the output's by then. */
  @Test
  void whatWasWrittenIsTheOutputsWhenNothingIsKnownOfItsLease() throws Exception {
    Path before = Files.createDirectory(directory.resolve("before"));
    Path after = directory.resolve("after");
    RecoveredLeases records = LeaseRecords.open(before.resolve("socket"), false);
    RecoveredLeases dying =
        new RecoveredLeases() {
          @Override
          public Review review(UUID poolId) {
            return records.review(poolId);
          }

          @Override
          public void settled(Review review) {
            records.settled(review);
          }

          @Override
          public Own own(LeaseInfo lease, List<Range> granted) throws IOException {
            Own own = records.own(lease, granted);
            return forGood -> {
              own.close(forGood);
              copyAll(before, after);
            };
          }
        };
    TestOutput written = TestOutput.single(new Random(1), "output", 500_000);
    try (SpillStore store =
        SpillStore.open(TestPool.withDisk(before, 2).formerLeases(dying).build())) {
      try (Lease lease = store.openLease(APP)) {
        written.commit(APP, lease);
      }
      assertTrue(store.moveToDisk(store.outputs(APP).get(0), () -> true) > 0);
    }
    try (SpillStore store =
        SpillStore.open(
            TestPool.withDisk(after, 2)
                .formerLeases(LeaseRecords.open(after.resolve("socket"), true))
                .recover(Set.of(APP))
                .build())) {
      assertEquals(1, store.stats().outputs());
      assertEquals(0, store.stats().disk().quarantinedBytes(), "the application goes on");
    }
  }
}
