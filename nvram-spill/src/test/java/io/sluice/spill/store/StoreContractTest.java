package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.format.WrittenRun;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a store promises whatever its medium and its place; one subclass for each. */
abstract class StoreContractTest extends PoolTestBase {
  @ParameterizedTest
  @CsvSource({"1,0", "1,100", "1,900000", "3,5000000", "50,700000", "500,3000000", "2000,1500000"})
  void servesWhatWasCommittedFromAllTiers(int partitionCount, int totalBytes) throws Exception {
    Random random = seeded("servesWhatWasCommittedFromAllTiers");
    Outputs.Content content = Outputs.random(random, partitionCount, totalBytes);
    try (SpillStore store = open(configWithDisk(3).build());
        Lease lease = store.openLease(APP)) {
      try (OutputWriter writer = writer(lease, partitionCount)) {
        Outputs.write(writer, content, random);
        assertTrue(store.find(id(0)).isEmpty());
        writer.commit(id(0));
      }
      Outputs.check(store, id(0), content);
      assertEquals(Set.of(APP), store.applications());
      store.freeApplication(APP);
      assertTrue(store.find(id(0)).isEmpty());
      assertAllFree(store);
    }
  }

  /** A reader names a run by its ordinal, and goes on with the same run after a restart. */
  @Test
  void ordinalsCountTheRunsOfEachPartition() throws Exception {
    Random random = seeded("ordinalsCountTheRunsOfEachPartition");
    List<List<LocatedRun>> before = new ArrayList<>();
    try (SpillStore store = open(configWithDisk(3).build());
        Lease lease = store.openLease(APP);
        OutputWriter writer = writer(lease, 5)) {
      for (int i = 0; i < 40; i++) {
        writer.beginRun(random.nextInt(4)); // the last partition has none
        writer.write(ByteBuffer.allocate(random.nextInt(3) * 50_000));
        writer.endRun(i, 0);
      }
      writer.commit(id(0));
      before.addAll(assertOrdinals(store));
    }
    try (SpillStore store = open(configWithDisk(3).recover(Set.of()).build())) {
      assertEquals(before, assertOrdinals(store));
    }
  }

  /** The runs of each part of the partitions, all of which are told alike. */
  private static List<List<LocatedRun>> assertOrdinals(SpillStore store) throws IOException {
    CommittedOutput output = store.find(id(0)).orElseThrow();
    List<List<LocatedRun>> parts = new ArrayList<>();
    for (int first = 0; first <= 5; first++) {
      for (int end = first; end <= 5; end++) {
        List<LocatedRun> expected = new ArrayList<>();
        for (int partition = first; partition < end; partition++) {
          List<LocatedRun> runs = output.runs(partition);
          for (int ordinal = 0; ordinal < runs.size(); ordinal++) {
            assertEquals(partition, runs.get(ordinal).run().partition());
            assertEquals(ordinal, runs.get(ordinal).run().ordinal());
            assertEquals(output.location().generation(), runs.get(ordinal).location().generation());
          }
          expected.addAll(runs);
        }
        assertEquals(expected, output.runs(first, end));
        parts.add(expected);
      }
    }
    assertEquals(40, output.runs(0, 5).size());
    return parts;
  }

  @Test
  void returnsWhatIsNotCommitted() throws Exception {
    Random random = seeded("returnsWhatIsNotCommitted");
    try (SpillStore store = open(configWithDisk(1).build());
        Lease lease = store.openLease(APP)) {
      try (OutputWriter writer = writer(lease, 3)) {
        Outputs.write(writer, Outputs.random(random, 3, 1_500_000), random);
        assertTrue(store.stats().memory().leasedBytes() > 0);
      }
      assertAllFree(store);
    }
  }

  @Test
  void readsRunsBackBeforeTheCommit() throws Exception {
    Random random = seeded("readsRunsBackBeforeTheCommit");
    Outputs.Content content = Outputs.random(random, 7, 2_500_000);
    try (SpillStore store = open(configWithDisk(1).build());
        Lease lease = store.openLease(APP);
        OutputWriter writer = writer(lease, 7)) {
      Outputs.write(writer, content, random);
      for (int i = 0; i < writer.runs().size(); i++) {
        WrittenRun run = writer.runs().get(i);
        Assertions.assertArrayEquals(content.runs().get(i), Outputs.bytes(writer, run));
      }
      byte[] more = new byte[100_000];
      random.nextBytes(more);
      writer.beginRun(6);
      writer.write(more, 0, more.length);
      Assertions.assertArrayEquals(more, Outputs.bytes(writer, writer.endRun(0, 0)));
    }
  }

  @Test
  void recoversWhatWasCommittedAndNothingElse() throws Exception {
    Random random = seeded("recoversWhatWasCommittedAndNothingElse");
    Map<OutputId, Outputs.Content> committed = new HashMap<>();
    List<OutputWriter> abandoned = new ArrayList<>();
    long generation;
    SpillStore first = open(configWithDisk(4).build());
    for (int i = 0; i < 12; i++) {
      Lease lease = first.openLease(APP);
      int totalBytes = random.nextInt(900_000);
      if (i % 3 == 0) {
        OutputWriter writer = writer(lease, 5);
        Outputs.write(writer, Outputs.random(random, 5, totalBytes), random);
        abandoned.add(writer);
      } else {
        committed.put(id(i), commit(lease, id(i), random, totalBytes));
      }
    }
    try (Lease last = first.openLease(APP)) {
      generation = last.info().generation();
    }
    first.close();
    for (OutputWriter writer : abandoned) {
      Assertions.assertThrows(IOException.class, writer::close);
    }
    try (SpillStore second = open(configWithDisk(4).recover(Set.of()).build())) {
      assertEquals(committed.size(), second.stats().outputs());
      for (OutputId id : committed.keySet()) {
        Outputs.check(second, id, committed.get(id));
      }
      assertEquals(0, second.stats().memory().quarantinedBytes());
      try (Lease lease = second.openLease(APP)) {
        assertTrue(lease.info().generation() > generation);
        assertEquals(first.poolId(), lease.info().poolId());
      }
      second.freeApplication(APP);
      assertAllFree(second);
    }
    try (SpillStore third = open(configWithDisk(4).recover(Set.of()).build())) {
      assertEquals(0, third.stats().outputs());
    }
  }
}
