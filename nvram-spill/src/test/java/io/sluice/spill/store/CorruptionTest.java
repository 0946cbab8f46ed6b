package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.BlockChecksums;
import io.sluice.spill.format.BlockChecksumsTest;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputIdentity;
import io.sluice.spill.format.OutputIndex;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Flipped bits in what describes an output: it must be gone, never be wrong. */
class CorruptionTest extends PoolTestBase {
  private static final int FLIPS = 150;

  @Test
  void recoveryNeverShowsAnOutputWhoseTailHasAFlippedBit() throws Exception {
    Random random = seeded("recoveryNeverShowsAnOutputWhoseTailHasAFlippedBit");
    Tail tail = writeTwoOutputs(random);
    for (int flip = 0; flip < FLIPS; flip++) {
      long offsetBytes = tail.randomOffset(random);
      int bit = random.nextInt(8);
      tail.flip(offsetBytes, bit);
      try (SpillStore store = SpillStore.open(recovering())) {
        assertTrue(store.find(id(1)).isPresent(), "the other output is gone");
        assertFalse(
            store.find(id(2)).isPresent(),
            "visible with bit " + bit + " flipped at " + offsetBytes);
      }
      tail.restore();
    }
    try (SpillStore store = SpillStore.open(recovering())) {
      assertTrue(store.find(id(2)).isPresent(), "not visible though nothing is flipped");
    }
  }

  @Test
  void aRunWhoseEntryChangesAfterTheCommitIsRefused() throws Exception {
    Random random = seeded("aRunWhoseEntryChangesAfterTheCommitIsRefused");
    try (SpillStore store = SpillStore.open(config(1).build())) {
      Outputs.Content content = commit(store.openLease(APP), id(1), random, 100_000);
      CommittedOutput output = store.find(id(1)).orElseThrow();
      try (FileChannel file = openTail(output)) {
        long entriesBytes = indexStart(output) + OutputIndex.runsOffset(content.partitionCount());
        long entryBytes = entriesBytes + random.nextInt(OutputIndex.RUN_BYTES);
        flip(file, entryBytes, random.nextInt(8));
        int partition = content.partitions().stream().min(Integer::compare).orElseThrow();
        String message =
            assertThrows(CorruptOutputException.class, () -> output.runs(partition)).getMessage();
        assertTrue(message.contains("CRC32C") && message.contains(id(1).toString()), message);
      }
    }
  }

  /** A store keeps nothing of an index: a partition must not lose runs unseen. */
  @Test
  void aPartitionWhoseEntryChangesAfterTheCommitIsRefused() throws Exception {
    Random random = seeded("aPartitionWhoseEntryChangesAfterTheCommitIsRefused");
    try (SpillStore store = SpillStore.open(config(1).build())) {
      Outputs.Content content = commit(store.openLease(APP), id(1), random, 100_000);
      CommittedOutput output = store.find(id(1)).orElseThrow();
      try (FileChannel file = openTail(output)) {
        for (int partition = 0; partition <= content.partitionCount(); partition++) {
          long offsetBytes = indexStart(output) + 8L * partition + random.nextInt(8);
          int bit = random.nextInt(8);
          flip(file, offsetBytes, bit);
          if (partition > 0) {
            assertRefused(output, partition - 1);
          }
          if (partition < content.partitionCount()) {
            assertRefused(output, partition);
          }
          flip(file, offsetBytes, bit);
        }
      }
      Outputs.check(store, id(1), content);
    }
  }

  private static void assertRefused(CommittedOutput output, int partition) {
    String message =
        assertThrows(CorruptOutputException.class, () -> output.runs(partition)).getMessage();
    assertTrue(message.contains("CRC32C") && message.contains(id(1).toString()), message);
  }

  /** Nobody checks them but the reader, who finds the block that they are of damaged. */
  @Test
  void aFurtherChecksumThatChangesAfterTheCommitIsReadAsItIs() throws Exception {
    Random random = seeded("aFurtherChecksumThatChangesAfterTheCommitIsReadAsItIs");
    byte[] run = new byte[5 * BlockChecksums.BLOCK_BYTES + 1];
    random.nextBytes(run);
    try (SpillStore store = SpillStore.open(config(1).build());
        OutputWriter writer = writer(store.openLease(APP), 2)) {
      for (int i = 0; i < 3; i++) {
        writer.beginRun(i % 2);
        writer.write(run, 0, i == 1 ? 10 : run.length);
        writer.endRun(0, 0);
      }
      writer.commit(id(1));
      CommittedOutput output = store.find(id(1)).orElseThrow();
      BlockChecksums right = BlockChecksumsTest.naive(run);
      assertEquals(
          List.of(right, right),
          output.runs(0).stream().map(located -> located.run().checksums()).toList());
      assertEquals(
          List.of(BlockChecksumsTest.naive(Arrays.copyOf(run, 10))),
          output.runs(1).stream().map(located -> located.run().checksums()).toList());
      try (FileChannel file = openTail(output)) {
        long firstBytes = indexStart(output) + OutputIndex.encodedBytes(2, 3, 0);
        for (int crc = 0; crc < 10; crc++) {
          int bit = random.nextInt(8);
          long offsetBytes = firstBytes + 4L * crc + random.nextInt(4);
          flip(file, offsetBytes, bit);
          List<LocatedRun> runs = output.runs(0);
          for (int block = 0; block < 12; block++) {
            boolean same =
                runs.get(block / 6).run().checksums().crc32c(block % 6) == right.crc32c(block % 6);
            assertEquals(block != (crc < 5 ? crc + 1 : crc + 2), same, crc + ", block " + block);
          }
          flip(file, offsetBytes, bit);
        }
      }
    }
  }

  @Test
  void aSegmentThatSomebodyCutIsAnErrorNotACrash() throws Exception {
    Random random = seeded("aSegmentThatSomebodyCutIsAnErrorNotACrash");
    try (SpillStore store = SpillStore.open(config(1).build())) {
      commit(store.openLease(APP), id(1), random, 100_000);
      CommittedOutput output = store.find(id(1)).orElseThrow();
      try (FileChannel file = openTail(output)) {
        file.truncate(0);
      }
      assertThrows(IOException.class, () -> output.runs(0));
    }
  }

  private StoreConfig recovering() {
    // keeps what is not valid in quarantine, so that restoring it makes it valid again
    return config(1).recover(Set.of("application_1_0002")).build();
  }

  private Tail writeTwoOutputs(Random random) throws IOException {
    try (SpillStore store = SpillStore.open(config(1).build())) {
      commit(store.openLease(APP), id(1), random, 50_000);
      commit(store.openLease(APP), id(2), random, 50_000);
      CommittedOutput output = store.find(id(2)).orElseThrow();
      Path segment = store.segments().get(0).path();
      try (FileChannel file = FileChannel.open(segment, StandardOpenOption.READ)) {
        ByteBuffer original = ByteBuffer.allocate(SEGMENT_BYTES);
        file.read(original, 0);
        return new Tail(segment, original, output);
      }
    }
  }

  /** Of an output whose index lies in one extent. */
  private static long indexStart(CommittedOutput output) {
    OutputIdentity identity = output.identity();
    return output
        .location()
        .ranges(identity.indexOffsetBytes(), identity.indexLengthBytes())
        .get(0)
        .offsetBytes();
  }

  private static FileChannel openTail(CommittedOutput output) throws IOException {
    return FileChannel.open(
        output.location().tail().info().path(), StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static void flip(FileChannel file, long offsetBytes, int bit) throws IOException {
    ByteBuffer one = ByteBuffer.allocate(1);
    file.read(one, offsetBytes);
    one.put(0, (byte) (one.get(0) ^ 1 << bit));
    file.write(one.rewind(), offsetBytes);
  }

  private record Tail(Path segment, ByteBuffer original, CommittedOutput output) {
    /** In the index, the identity, the place or the trailer. */
    long randomOffset(Random random) {
      OutputIdentity identity = output.identity();
      int identityBytes = FooterLayout.identityBytes(output.id());
      int placeBytes = FooterLayout.locationBytes(output.extents().size());
      long identityStart = indexStart(output) + FooterLayout.align8(identity.indexLengthBytes());
      return switch (random.nextInt(4)) {
        case 0 -> indexStart(output) + random.nextInt(identity.indexLengthBytes());
        case 1 -> identityStart + random.nextInt(identityBytes);
        case 2 -> output.location().trailer().endBytes() - 1 - random.nextInt(placeBytes);
        default ->
            output.location().trailer().endBytes() - 1 - random.nextInt(FooterLayout.TRAILER_BYTES);
      };
    }

    void flip(long offsetBytes, int bit) throws IOException {
      try (FileChannel file =
          FileChannel.open(segment, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        CorruptionTest.flip(file, offsetBytes, bit);
      }
    }

    void restore() throws IOException {
      try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
        file.write(original.duplicate().rewind(), 0);
      }
    }
  }
}
