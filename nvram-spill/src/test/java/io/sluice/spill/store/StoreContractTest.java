package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.Medium;
import io.sluice.spill.writer.OutputWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a store promises whatever its medium; one subclass per medium. */
abstract class StoreContractTest {
  static final int SEGMENT_BYTES = 1 << 20;
  static final int BLOCK_BYTES = 16 << 10;

  @TempDir Path directory;
  private long mappedBefore;
  private long allocatedBefore;

  abstract Medium medium();

  @BeforeEach
  void checkMedium() {
    medium()
        .unavailabilityCause(directory)
        .ifPresent(cause -> Assumptions.abort(medium().name() + " is not available: " + cause));
    mappedBefore = OffHeap.mappedBytes();
    allocatedBefore = OffHeap.allocatedBytes();
  }

  @AfterEach
  void checkLeaks() {
    assertEquals(mappedBefore, OffHeap.mappedBytes(), "mapped bytes");
    assertEquals(allocatedBefore, OffHeap.allocatedBytes(), "allocated bytes");
  }

  StoreConfig.Builder config(int segments) {
    return StoreConfig.builder(directory.resolve("pool"), (long) segments * SEGMENT_BYTES)
        .geometry(SEGMENT_BYTES, BLOCK_BYTES)
        .medium(medium());
  }

  OutputWriter writer(ExtentSource source, int partitionCount) {
    return new OutputWriter(source, medium(), partitionCount, 256 << 10);
  }

  @ParameterizedTest
  @CsvSource({"1,0", "1,100", "1,900000", "3,5000000", "50,700000", "500,3000000", "2000,1500000"})
  void servesWhatWasCommitted(int partitionCount, int totalBytes) throws Exception {
    long seed = System.nanoTime();
    System.out.println("servesWhatWasCommitted seed " + seed);
    Random random = new Random(seed);
    Outputs.Content content = Outputs.random(random, partitionCount, totalBytes);
    OutputId id = new OutputId("application_1_0001", "attempt_1_0001_m_000000_0");
    Path disk = directory.resolve("disk");
    try (SpillStore store = SpillStore.open(config(4).disk(List.of(disk), 0, 0).build());
        Lease lease = store.openLease(id.applicationId())) {
      try (OutputWriter writer = writer(lease, partitionCount)) {
        Outputs.write(writer, content, random);
        assertTrue(store.find(id).isEmpty());
        writer.commit(id);
      }
      Outputs.check(store, id, content);
      assertEquals(Set.of(id.applicationId()), store.applications());
      store.freeApplication(id.applicationId());
      assertFalse(store.find(id).isPresent());
      assertEquals(0, store.stats().memory().usedBytes());
      assertEquals(0, store.stats().disk().createdBytes());
    }
  }

  @Test
  void returnsWhatIsNotCommitted() throws Exception {
    Random random = new Random(1);
    try (SpillStore store = SpillStore.open(config(2).build());
        Lease lease = store.openLease("application_1")) {
      try (OutputWriter writer = writer(lease, 3)) {
        Outputs.write(writer, Outputs.random(random, 3, 500_000), random);
        assertTrue(store.stats().memory().leasedBytes() > 0);
      }
      assertEquals(0, store.stats().memory().leasedBytes());
    }
  }
}
