package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.LocatedRun;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentMapper;
import io.sluice.spill.segment.SegmentMapper.MappedRanges;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A mapper that lives longer than the outputs that are read through it. */
class SegmentMapperTest extends PoolTestBase {
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aReaderThatIsInterruptedFailsAlone(int memorySegments) throws Exception {
    Random random = seeded("aReaderThatIsInterruptedFailsAlone");
    try (SpillStore store = SpillStore.open(configWithDisk(memorySegments).build());
        SegmentMapper mapper = Outputs.mapper(store)) {
      Outputs.Content content = Outputs.random(random, 20, 100_000);
      try (OutputWriter writer = writer(store.openLease(APP), 20)) {
        Outputs.write(writer, content, random);
        writer.commit(id(1));
      }
      int partition = content.partitions().get(0);
      LocatedRun run = store.find(id(1)).orElseThrow().runs(partition).get(0);
      byte[] expected = content.of(partition).get(0);
      for (int i = 0; i < 1_000; i++) {
        if (random.nextBoolean()) {
          Thread.currentThread().interrupt();
          assertThrows(InterruptedIOException.class, () -> mapper.map(run.location().ranges()));
          assertTrue(Thread.interrupted());
        }
        try (MappedRanges mapped = mapper.map(run.location().ranges())) {
          assertArrayEquals(expected, Outputs.bytes(mapped));
        }
      }
      assertEquals(memorySegments == 0 ? 0 : 2, openSegments(store), "open beside the mapper's");
    }
  }

  /** As one is that was replaced when its service came back, for runs that were found before. */
  @Test
  void oneThatIsClosedStillMapsAndKeepsNothingOpen() throws Exception {
    Random random = seeded("oneThatIsClosedStillMapsAndKeepsNothingOpen");
    try (SpillStore store = SpillStore.open(configWithDisk(1).build())) {
      SegmentMapper mapper = Outputs.mapper(store);
      Outputs.Content content = commit(store.openLease(APP), id(1), random, 100_000);
      int partition = content.partitions().get(0);
      LocatedRun run = store.find(id(1)).orElseThrow().runs(partition).get(0);
      int ofStore = openSegments(store);
      mapper.map(run.location().ranges()).close();
      assertEquals(ofStore + 1, openSegments(store));
      mapper.close();
      try (MappedRanges mapped = mapper.map(run.location().ranges())) {
        assertArrayEquals(content.of(partition).get(0), Outputs.bytes(mapped));
      }
      assertEquals(ofStore, openSegments(store));
    }
  }

  private int openSegments(SpillStore store) throws IOException {
    return OpenFiles.below(store.paths().path(0, 0, 0))
        + OpenFiles.below(disk())
        - 2; // lock, epoch
  }

  @Test
  void filesOfTheDiskTierAreGoneWhenTheyAreFreed() throws Exception {
    Random random = seeded("filesOfTheDiskTierAreGoneWhenTheyAreFreed");
    try (SpillStore store = SpillStore.open(configWithDisk(0).build());
        SegmentMapper mapper = Outputs.mapper(store)) {
      for (int i = 0; i < 20; i++) {
        Outputs.Content content = commit(store.openLease(APP), id(i), random, 100_000);
        for (int partition : content.partitions()) {
          LocatedRun run = store.find(id(i)).orElseThrow().runs(partition).get(0);
          mapper.map(run.location().ranges()).close();
        }
      }
      store.freeApplication(APP);
      assertEquals(2, OpenFiles.below(disk()), "files open beside the lock and the epoch");
    }
  }

  /** Else whoever still holds a description reads another output's bytes under the same id. */
  @Test
  void idsOfTheDiskTierAreNotUsedAgainAfterARestart() throws Exception {
    Random random = seeded("idsOfTheDiskTierAreNotUsedAgainAfterARestart");
    Set<Integer> used = new HashSet<>();
    for (int start = 0; start < 4; start++) {
      StoreConfig config = configWithDisk(0).recover(Set.of()).build();
      try (SpillStore store = SpillStore.open(config)) {
        for (int i = 0; i < 3; i++) {
          commit(store.openLease(APP), id(i), random, 100_000);
        }
        for (SegmentInfo segment : store.segments()) {
          assertTrue(used.add(segment.segmentId()), "used before: " + segment);
          assertTrue(Files.exists(segment.path()));
        }
        store.freeApplication(APP);
      }
    }
  }
}
