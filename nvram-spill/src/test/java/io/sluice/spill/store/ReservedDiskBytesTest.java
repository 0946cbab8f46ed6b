package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.spill.segment.Extent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** What a lease on disk costs does not depend on how many there are. */
class ReservedDiskBytesTest extends PoolTestBase {
  private static final int FILES = 200;

  @Test
  void aLeaseLooksAtNoFileThatHasNotChanged() throws Exception {
    try (SpillStore store = open(configWithDisk(0).build());
        Lease lease = store.openLease(APP)) {
      ReservedDiskBytes promised = store.promised();
      for (int i = 0; i < FILES; i++) {
        lease.leaseDisk(BLOCK_BYTES);
      }
      assertEquals(Map.of(disk(), (long) FILES * BLOCK_BYTES), promised.byDirectory());
      assertEquals(FILES, promised.looks());
    }
  }

  /** By steps of a task as they come, beside the sums that are made anew. */
  @Test
  void theSumsAreThoseOfWhatIsLeasedAndNotWritten() throws Exception {
    Random random = seeded("theSumsAreThoseOfWhatIsLeasedAndNotWritten");
    try (SpillStore store = open(configWithDisk(0).build())) {
      List<Lease> leases = new ArrayList<>();
      List<List<Extent>> held = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        switch (random.nextInt(5)) {
          case 0 -> {
            leases.add(store.openLease(APP));
            held.add(new ArrayList<>());
          }
          case 1 -> commitOne(store, i, random);
          default -> {
            if (!leases.isEmpty()) {
              int which = random.nextInt(leases.size());
              step(leases.get(which), held.get(which), random);
            }
          }
        }
        long expectedBytes = 0;
        for (List<Extent> extents : held) {
          for (Extent extent : extents) {
            DiskSegment segment =
                (DiskSegment) store.segment(extent.segment().segmentId()).orElseThrow();
            expectedBytes += segment.unwrittenBytes(extent.range());
          }
        }
        assertEquals(expectedBytes, store.promised().byDirectory().getOrDefault(disk(), 0L));
      }
      for (Lease lease : leases) {
        lease.close();
      }
      assertEquals(0, store.promised().byDirectory().getOrDefault(disk(), 0L));
      store.freeApplication(APP);
      assertEquals(0, store.stats().disk().createdBytes());
    }
  }

  private void commitOne(SpillStore store, int number, Random random) throws IOException {
    try (Lease lease = store.openLease(APP)) {
      commit(lease, id(number), random, 1 + random.nextInt(100_000));
    }
  }

  private static void step(Lease lease, List<Extent> held, Random random) throws IOException {
    if (held.isEmpty() || random.nextInt(3) == 0) {
      held.addAll(lease.leaseDisk((1L + random.nextInt(4)) * BLOCK_BYTES));
      return;
    }
    int which = random.nextInt(held.size());
    Extent extent = held.get(which);
    if (random.nextBoolean()) {
      int lengthBytes = 1 + random.nextInt((int) extent.lengthBytes());
      lease.write(extent, 0, ByteBuffer.allocate(lengthBytes));
      return;
    }
    long keptBytes = extent.lengthBytes() / 2 / BLOCK_BYTES * BLOCK_BYTES;
    lease.release(
        List.of(
            new Extent(
                extent.segment(),
                extent.offsetBytes() + keptBytes,
                extent.lengthBytes() - keptBytes)));
    held.remove(which);
    if (keptBytes > 0) {
      held.add(new Extent(extent.segment(), extent.offsetBytes(), keptBytes));
    }
  }

  /** It is long on a node with containers. */
  @Test
  void theListOfMountsIsReadOnce() throws Exception {
    AtomicInteger reads = new AtomicInteger();
    FileStore store = Files.getFileStore(directory);
    DirectorySpace space =
        new DirectorySpace(
            directory,
            path -> {
              reads.incrementAndGet();
              return store;
            });
    String fileSystem = space.free().fileSystem();
    for (int i = 0; i < 10; i++) {
      assertEquals(fileSystem, space.free().fileSystem());
    }
    assertEquals(1, reads.get());
  }
}
