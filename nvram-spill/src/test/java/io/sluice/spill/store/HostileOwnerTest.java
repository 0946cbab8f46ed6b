package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.format.FooterReader.ByteSource;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Another user's task does with its own segments whatever a descriptor lets it. */
class HostileOwnerTest extends PoolTestBase {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final String BOBS_APP = "application_1_0002";
  private static final Map<String, Owner> OWNERS = Map.of(APP, ANN, BOBS_APP, BOB);

  private SpillStore open(StoreConfig.Builder config) throws IOException {
    return SpillStore.open(config.shared().build());
  }

  private StoreConfig.Builder recovering() {
    return configWithDisk(4)
        .recover(Set.of())
        .applicationOwners(application -> Optional.ofNullable(OWNERS.get(application)));
  }

  private static OutputId bobs(int number) {
    return new OutputId(BOBS_APP, "attempt_1_0002_m_" + number + "_0");
  }

  private static void setLength(SegmentInfo segment, long lengthBytes) throws IOException {
    try (FileChannel file = FileChannel.open(segment.path(), StandardOpenOption.WRITE)) {
      if (lengthBytes < file.size()) {
        file.truncate(lengthBytes);
      } else {
        file.write(ByteBuffer.allocate(1), lengthBytes - 1);
      }
    }
  }

  private static SegmentInfo segmentOf(SpillStore store, OutputId id) {
    return store.find(id).orElseThrow().extents().get(0).segment();
  }

  /** Marks an output as committed itself, and says nothing to the store. */
  private record Forging(Lease source, SpillStore store) implements ForwardedSource {
    private Path path(int segmentId) {
      return store.segment(segmentId).orElseThrow().info().path();
    }

    @Override
    public void release(List<Extent> extents) {
      // kept, until the connection ends
    }

    @Override
    public void commit(OutputStamp stamp, FooterLocation trailer) throws IOException {
      Path path = path(trailer.segmentId());
      try (FileChannel file =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        ByteSource bytes =
            new ByteSource() {
              @Override
              public long lengthBytes() {
                return SEGMENT_BYTES;
              }

              @Override
              public void read(long offsetBytes, byte[] destination) throws IOException {
                file.read(ByteBuffer.wrap(destination), offsetBytes);
              }
            };
        long mark =
            new FooterReader(info().poolId(), info().blockBytes())
                .readLocation(bytes, trailer)
                .commitMark();
        file.write(
            ByteBuffer.allocate(Long.BYTES).putLong(0, mark),
            trailer.trailerOffsetBytes() + FooterLayout.COMMIT_MARK_OFFSET);
      }
    }
  }

  @Test
  void anOutputForgedInAnothersNameIsDroppedAndTheTrueOneIsServed() throws IOException {
    Random random = seeded("anOutputForgedInAnothersNameIsDroppedAndTheTrueOneIsServed");
    Outputs.Content content;
    Outputs.Content honest;
    try (SpillStore store = open(configWithDisk(4))) {
      content = commit(store.openLease(APP, ANN), id(1), random, 100_000);
      honest = commit(store.openLease(BOBS_APP, BOB), bobs(1), random, 100_000);
      Forging forging = new Forging(store.openLease(BOBS_APP, BOB), store);
      commit(forging, id(1), random, 50_000);
      commit(forging, id(2), random, 50_000);
      commit(forging, new OutputId("application_of_nobody", "x"), random, 50_000);
      commit(forging, bobs(2), random, 50_000);
    }
    try (SpillStore store = open(recovering())) {
      Outputs.check(store, id(1), content);
      Outputs.check(store, bobs(1), honest);
      assertTrue(store.find(id(2)).isEmpty());
      assertEquals(Set.of(APP, BOBS_APP), store.applications());
      assertTrue(store.find(bobs(2)).isPresent(), "what he forges of his own is his");
      assertEquals(3, store.stats().forgedOutputs());
    }
    try (SpillStore store = open(recovering())) {
      assertEquals(0, store.stats().forgedOutputs(), "its marks are cleared");
    }
  }

  @Test
  void aTrailerInAnothersSegmentIsNotLookedAt() throws IOException {
    Random random = seeded("aTrailerInAnothersSegmentIsNotLookedAt");
    try (SpillStore store = open(configWithDisk(4));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      commit(store.openLease(APP, ANN), id(1), random, 100_000);
      CommittedOutput anns = store.find(id(1)).orElseThrow();
      OutputStamp stamp = new OutputStamp(bobs(1), anns.identity().writerGeneration(), 0);
      CorruptOutputException refused =
          assertThrows(
              CorruptOutputException.class, () -> bob.commit(stamp, anns.location().trailer()));
      assertTrue(refused.getMessage().contains("there is no segment"), refused.getMessage());
    }
  }

  @Test
  void theMappingOfAnothersSegmentIsForDevicesAlone() throws IOException {
    try (SpillStore store = open(configWithDisk(1));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      Extent extent = bob.leaseContiguous(BLOCK_BYTES);
      SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
      assertFalse(segment.isTrusted());
      assertThrows(IllegalStateException.class, () -> segment.part(extent.range()));
    }
  }

  @Test
  void whatIsCutBeforeItsCommitIsRefused() throws IOException {
    Random random = seeded("whatIsCutBeforeItsCommitIsRefused");
    try (SpillStore store = open(configWithDisk(1))) {
      try (Lease bob = store.openLease(BOBS_APP, BOB);
          OutputWriter writer = writer(bob, 3)) {
        Outputs.write(writer, Outputs.random(random, 3, 100_000), random);
        SegmentInfo segment = store.segments().get(0);
        setLength(segment, segment.lengthBytes() - 1); // far behind the output
        assertThrows(CorruptOutputException.class, () -> writer.commit(bobs(1)));
        assertTrue(store.find(bobs(1)).isEmpty());
      }
      assertEquals(1, store.stats().damagedSegments());
    }
  }

  @Test
  void whatIsMadeLongerIsCutAtItsCommit() throws IOException {
    Random random = seeded("whatIsMadeLongerIsCutAtItsCommit");
    try (SpillStore store = open(configWithDisk(0));
        Lease bob = store.openLease(BOBS_APP, BOB);
        OutputWriter writer = writer(bob, 3)) {
      Outputs.write(writer, Outputs.random(random, 3, 100_000), random);
      SegmentInfo segment = store.segments().get(0);
      setLength(segment, 10L * SEGMENT_BYTES);
      writer.commit(bobs(1));
      SegmentInfo committed = segmentOf(store, bobs(1));
      assertEquals(committed.lengthBytes(), Files.size(committed.path()));
    }
  }

  @Test
  void whatIsCutWhileItIsServedFailsAndIsMadeAnew() throws IOException {
    Random random = seeded("whatIsCutWhileItIsServedFailsAndIsMadeAnew");
    try (SpillStore store = open(configWithDisk(1))) {
      commit(store.openLease(BOBS_APP, BOB), bobs(1), random, 100_000);
      CommittedOutput output = store.find(bobs(1)).orElseThrow();
      SegmentInfo segment = segmentOf(store, bobs(1));
      setLength(segment, 0);
      assertThrows(IOException.class, () -> output.runs(0, output.partitionCount()));
      OutputReads reads = new OutputReads(store::find);
      assertThrows(IOException.class, () -> reads.copy(output, 0, ByteBuffer.allocateDirect(10)));
      store.freeApplication(BOBS_APP);
      assertEquals(1, store.stats().damagedSegments());
      try (Lease bob = store.openLease(BOBS_APP, BOB)) {
        SegmentInfo next = bob.lease(SEGMENT_BYTES).get(0).segment();
        assertEquals(segment.incarnation() + 1, next.incarnation());
        assertArrayEquals(new byte[SEGMENT_BYTES], Files.readAllBytes(next.path()));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Tier.class)
  void whatIsCutBeforeARestartKeepsNothingOfOthersAway(Tier tier) throws IOException {
    Random random = seeded("whatIsCutBeforeARestartKeepsNothingOfOthersAway");
    int segments = tier == Tier.MEMORY ? 4 : 0;
    Outputs.Content content;
    try (SpillStore store = open(configWithDisk(segments))) {
      content = commit(store.openLease(APP, ANN), id(1), random, 100_000);
      commit(store.openLease(BOBS_APP, BOB), bobs(1), random, 100_000);
      assertEquals(tier, segmentOf(store, bobs(1)).tier());
      setLength(segmentOf(store, bobs(1)), BLOCK_BYTES);
    }
    try (SpillStore store = open(recovering())) {
      Outputs.check(store, id(1), content);
      assertTrue(store.find(bobs(1)).isEmpty());
      assertEquals(0, store.stats().failedDirectories());
    }
  }

  @Test
  void anIndexThatIsWrittenAnewNamesNothingOutsideTheOutput() throws IOException {
    byte[] run = new byte[BLOCK_BYTES];
    try (SpillStore store = open(configWithDisk(1))) {
      OutputWriter writer = writer(store.openLease(BOBS_APP, BOB), 1);
      writer.beginRun(0);
      writer.write(run, 0, run.length);
      writer.endRun(run.length, 1);
      writer.commit(bobs(1));
      writer.close();
      CommittedOutput output = store.find(bobs(1)).orElseThrow();
      OutputIdentity identity = output.identity();
      for (long[] lie :
          new long[][] {
            {0, run.length + 1},
            {1, run.length},
            {-1, run.length},
            {0, Long.MAX_VALUE},
            {Long.MAX_VALUE, 1},
            {SEGMENT_BYTES / 2, BLOCK_BYTES}
          }) {
        // Truthful CRCs: he who writes the index can compute them.
        rewriteEntry(output, identity, lie[0], lie[1]);
        assertThrows(CorruptOutputException.class, () -> output.runs(0), lie[0] + " " + lie[1]);
      }
      rewriteEntry(output, identity, 16, run.length - 16);
      LocatedRun moved = output.runs(0).get(0);
      Extent own = output.extents().get(0);
      for (Range range : moved.location().ranges()) {
        assertTrue(range.offsetBytes() >= own.offsetBytes());
        assertTrue(range.endBytes() <= own.offsetBytes() + own.lengthBytes());
      }
    }
  }

  private static void rewriteEntry(
      CommittedOutput output, OutputIdentity identity, long offsetBytes, long lengthBytes)
      throws IOException {
    WrittenRun honest = new WrittenRun(0, 0, BLOCK_BYTES, BLOCK_BYTES, 0, 1, BlockChecksums.of(7));
    ByteBuffer index = OutputIndex.encode(1, List.of(honest));
    int entry = (int) OutputIndex.runsOffset(1);
    index.putLong(entry + 8, offsetBytes);
    index.putLong(entry + 16, lengthBytes);
    index.putInt(entry + 44, BlockChecksums.crc32c(index.array(), entry, 44));
    Range place = output.location().ranges(identity.indexOffsetBytes(), index.capacity()).get(0);
    Path path = output.extents().get(0).segment().path();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.write(index.rewind(), place.offsetBytes());
    }
  }

  @Test
  void theOwnUsersSegmentsAreReadWhereTheyAreMapped() throws IOException {
    Random random = seeded("theOwnUsersSegmentsAreReadWhereTheyAreMapped");
    try (SpillStore store = open(configWithDisk(1));
        Lease own = store.openLease(APP)) {
      Extent extent = own.leaseContiguous(BLOCK_BYTES);
      SegmentHandle segment = store.segment(extent.segment().segmentId()).orElseThrow();
      assertTrue(segment.isTrusted());
      byte[] bytes = new byte[100];
      random.nextBytes(bytes);
      segment.part(extent.range()).buffer().put(0, bytes);
      ByteBuffer copy = ByteBuffer.allocate(bytes.length);
      segment.copyTo(extent.offsetBytes(), copy);
      assertArrayEquals(bytes, copy.array());
      assertNotEquals(ANN, segment.owner());
    }
  }
}
