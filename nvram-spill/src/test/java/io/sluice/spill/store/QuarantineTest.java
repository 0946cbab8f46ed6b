package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource.LeaseInfo;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The service restarts while tasks go on writing. */
class QuarantineTest extends PoolTestBase {
  private static final String OTHER_APP = "application_1_0002";

  @ParameterizedTest
  @CsvSource({"500000,true", "500000,false", "3500000,true", "3500000,false"})
  void aTaskThatWritesAcrossTheRestartCommits(int totalBytes, boolean knowsNewGeneration)
      throws Exception {
    Random random = seeded("aTaskThatWritesAcrossTheRestartCommits");
    Outputs.Content content = Outputs.random(random, 4, totalBytes);
    SpillStore first = SpillStore.open(configWithDisk(2).build());
    Reconnecting source = new Reconnecting(first.openLease(APP), knowsNewGeneration);
    try (OutputWriter writer = writer(source, 4)) {
      writer.reserveCapacity(totalBytes / 2);
      Outputs.write(writer, content, random);
      first.close();
      StoreConfig config = configWithDisk(2).recover(Set.of(APP, OTHER_APP)).build();
      try (SpillStore second = SpillStore.open(config)) {
        assertTrue(second.stats().memory().quarantinedBytes() > 0);
        Outputs.Content foreign;
        try (Lease other = second.openLease(OTHER_APP);
            Lease again = second.openLease(APP)) {
          foreign = commit(other, new OutputId(OTHER_APP, "attempt_1"), random, 800_000);
          source.lease = again;
          writer.commit(id(1));
        }
        Outputs.check(second, id(1), content);
        Outputs.check(second, new OutputId(OTHER_APP, "attempt_1"), foreign);
        second.freeApplication(APP);
        Outputs.check(second, new OutputId(OTHER_APP, "attempt_1"), foreign);
        second.freeApplication(OTHER_APP);
        assertAllFree(second);
      }
    }
  }

  @Test
  void blocksComeBackOnlyWhenTheLastApplicationOfThenIsFreed() throws Exception {
    SpillStore first = SpillStore.open(configWithDisk(2).build());
    first.openLease(APP).lease(3L * SEGMENT_BYTES);
    first.close();
    StoreConfig config = configWithDisk(2).recover(Set.of(APP, OTHER_APP)).build();
    try (SpillStore second = SpillStore.open(config)) {
      StoreStats stats = second.stats();
      assertEquals(2L * SEGMENT_BYTES, stats.memory().quarantinedBytes());
      assertEquals(SEGMENT_BYTES, stats.disk().quarantinedBytes());
      try (Lease lease = second.openLease("application_1_0003")) {
        Extent extent = lease.leaseContiguous(BLOCK_BYTES);
        assertEquals(1, second.stats().overflows(), "leased from quarantine: " + extent);
      }
      second.freeApplication("application_1_0003");
      second.freeApplication(OTHER_APP);
      assertEquals(stats.memory().quarantinedBytes(), second.stats().memory().quarantinedBytes());
      second.freeApplication(APP);
      assertEquals(0, second.stats().memory().quarantinedBytes());
      assertAllFree(second);
    }
  }

  @Test
  void onlyWhatWasLeasedIsQuarantined() throws Exception {
    SpillStore first = SpillStore.open(config(2).build());
    Lease kept = first.openLease(APP);
    List<Extent> held = kept.lease(3L * BLOCK_BYTES);
    Lease over = first.openLease(APP);
    over.lease(2L * BLOCK_BYTES);
    over.close();
    first.quiesce();
    kept.close(); // the service closes its connections, the task lives on
    first.close();
    try (SpillStore second = SpillStore.open(config(2).recover(Set.of(APP)).build());
        Lease lease = second.openLease(OTHER_APP)) {
      assertEquals(3L * BLOCK_BYTES, second.stats().memory().quarantinedBytes());
      for (Extent extent : lease.lease(2L * SEGMENT_BYTES - 3L * BLOCK_BYTES)) {
        for (Extent other : held) {
          assertFalse(overlap(extent, other), extent + " was granted, a task has " + other);
        }
      }
      second.freeApplication(APP);
      assertEquals(0, second.stats().memory().quarantinedBytes());
    }
  }

  @Test
  void lessThanABlockIsLeasedBesideAQuarantine() throws Exception {
    SpillStore first = SpillStore.open(config(2).build());
    first.openLease(APP).lease(BLOCK_BYTES);
    first.close();
    try (SpillStore second = SpillStore.open(config(2).recover(Set.of(APP)).build());
        Lease lease = second.openLease(OTHER_APP)) {
      assertEquals(BLOCK_BYTES, second.stats().memory().quarantinedBytes());
      assertEquals(BLOCK_BYTES, lease.leaseContiguous(1).lengthBytes());
    }
  }

  private static boolean overlap(Extent a, Extent b) {
    return a.segment().segmentId() == b.segment().segmentId()
        && a.offsetBytes() < b.range().endBytes()
        && b.offsetBytes() < a.range().endBytes();
  }

  /** A file of so many blocks that one review has no time for all of them. */
  @Test
  @Timeout(300)
  void whatOneReviewHasNoTimeForTheNextOnesDo() throws Exception {
    SpillStore first = SpillStore.open(configWithDisk(0).build());
    first.openLease(APP).lease(100_000L * BLOCK_BYTES);
    first.close();
    StoreConfig config = configWithDisk(0).recover(Set.of()).build();
    AtomicLong nowNs = new AtomicLong();
    LongSupplier ticking = () -> nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(100));
    try (SpillStore second = SpillStore.open(config, place::open, ticking)) {
      assertTrue(second.stats().disk().quarantinedBytes() > 0, "the first review had the time");
      while (second.stats().disk().quarantinedBytes() > 0) {
        second.openLease(OTHER_APP).close();
      }
      assertEquals(0, second.stats().disk().createdBytes());
    }
    assertEquals(0, OpenFiles.below(disk()));
  }

  @Test
  void aNewGenerationIsNotTakenForAFormerOne() throws Exception {
    Random random = seeded("aNewGenerationIsNotTakenForAFormerOne");
    SpillStore first = SpillStore.open(config(2).build());
    Reconnecting source = new Reconnecting(first.openLease(APP), true);
    OutputWriter abandoned = writer(source, 4);
    Outputs.write(abandoned, Outputs.random(random, 4, 100_000), random);
    first.close();
    try (SpillStore second = SpillStore.open(config(2).recover(Set.of(APP)).build());
        Lease lease = second.openLease(APP);
        Lease another = second.openLease(APP);
        OutputWriter writer = abandoned) {
      source.lease = another;
      source.committer = lease;
      assertThrows(IOException.class, () -> writer.commit(id(1)));
      assertTrue(second.find(id(1)).isEmpty());
    }
  }

  /** A task's connection, whose lease is another one after the restart. */
  private static final class Reconnecting implements ForwardedSource {
    private final LeaseInfo formerInfo;
    private final boolean knowsNewGeneration;
    private Lease lease;
    private Lease committer;

    Reconnecting(Lease lease, boolean knowsNewGeneration) {
      this.lease = lease;
      this.formerInfo = lease.info();
      this.knowsNewGeneration = knowsNewGeneration;
    }

    @Override
    public ExtentSource source() {
      return lease;
    }

    @Override
    public LeaseInfo info() {
      return knowsNewGeneration ? lease.info() : formerInfo;
    }

    @Override
    public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
      (committer == null ? lease : committer).commit(stamp, trailer);
    }
  }
}
