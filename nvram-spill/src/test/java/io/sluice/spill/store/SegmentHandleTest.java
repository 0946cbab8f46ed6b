package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.nio.channels.ClosedChannelException;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentHandleTest extends PoolTestBase {
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void aReaderThatIsInterruptedDoesNotHarmTheOthers(int memorySegments) throws Exception {
    Random random = seeded("aReaderThatIsInterruptedDoesNotHarmTheOthers");
    try (SpillStore store = SpillStore.open(configWithDisk(memorySegments).build())) {
      Outputs.Content content = commit(store.openLease(APP), id(1), random, 100_000);
      CommittedOutput output = store.find(id(1)).orElseThrow();
      Thread.currentThread().interrupt();
      assertEquals(content.of(0).size(), output.runs(0).size());
      assertTrue(Thread.interrupted());
      Outputs.check(store, id(1), content);
      store.freeApplication(APP);
      assertEquals(0, store.stats().disk().createdBytes());
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void readingAfterTheStoreIsClosedIsAnError(int memorySegments) throws Exception {
    Random random = seeded("readingAfterTheStoreIsClosedIsAnError");
    SpillStore store = SpillStore.open(configWithDisk(memorySegments).build());
    commit(store.openLease(APP), id(1), random, 100_000);
    CommittedOutput output = store.find(id(1)).orElseThrow();
    SegmentHandle segment =
        store.segment(output.extents().get(0).segment().segmentId()).orElseThrow();
    assertEquals(memorySegments > 0, segment.mapping().isPresent());
    assertThrows(EOFException.class, () -> segment.read(segment.lengthBytes() - 1, new byte[2]));
    store.close();
    assertThrows(ClosedChannelException.class, () -> output.runs(0));
  }
}
