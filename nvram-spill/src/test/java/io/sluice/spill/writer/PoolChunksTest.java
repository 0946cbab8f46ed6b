package io.sluice.spill.writer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.rdma.transport.LeakCheck;
import io.sluice.spill.format.CorruptOutputException;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.sort.ChunkSourceContract;
import io.sluice.spill.sort.SortChunks.ChunkSource;
import io.sluice.spill.store.ForwardedSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Chunks of a store in this process. */
@Timeout(300)
class PoolChunksTest implements ChunkSourceContract {
  private static final String APP = "application_1";
  private static final int SEGMENT_BYTES = 1 << 20;
  private static final int BLOCK_BYTES = 16 << 10;

  @TempDir private Path directory;
  private LeakCheck leaks;
  private SpillStore store;
  private Lease lease;
  private PoolChunks chunks;

  @BeforeEach
  void open() throws IOException {
    leaks = new LeakCheck();
    store =
        SpillStore.open(
            StoreConfig.builder(directory.resolve("pool"), 2 * SEGMENT_BYTES)
                .geometry(SEGMENT_BYTES, BLOCK_BYTES)
                .wholeAtStart(true)
                .build());
    lease = store.openLease(APP);
    lease.release(lease.lease(2 * SEGMENT_BYTES)); // waits until all of it is there
    chunks = new PoolChunks(lease, WriteTarget.mapped(lease, new PlainMedium()).memory());
  }

  @AfterEach
  void close() throws Exception {
    chunks.close();
    lease.close();
    store.close();
    leaks.check();
  }

  @Override
  public ChunkSource source() {
    return chunks;
  }

  private long leasedBytes() {
    return store.stats().memory().leasedBytes();
  }

  @Test
  void whatIsLentIsLeasedAndGoesWithTheLease() throws IOException {
    assertNotNull(chunks.allocate(CHUNK_BYTES));
    assertNotNull(chunks.allocate(CHUNK_BYTES));
    assertEquals(2 * CHUNK_BYTES, leasedBytes());
    assertEquals(2 * CHUNK_BYTES, chunks.mostBytes());
    chunks.close();
    lease.close();
    assertEquals(0, leasedBytes());
  }

  @Test
  void whatIsWantedBackIsSaidUntilItCame() throws IOException {
    List<ByteBuffer> all = List.of(chunks.allocate(CHUNK_BYTES), chunks.allocate(CHUNK_BYTES));
    chunks.keepAtMost(2 * CHUNK_BYTES);
    assertFalse(chunks.isWantedBack());
    chunks.keepAtMost(CHUNK_BYTES);
    assertTrue(chunks.isWantedBack());
    assertNull(chunks.allocate(CHUNK_BYTES), "more for one that is to give back");
    chunks.free(all);
    assertFalse(chunks.isWantedBack());
    chunks.free(List.of(chunks.allocate(CHUNK_BYTES), chunks.allocate(CHUNK_BYTES)));
  }

  @Test
  void nothingIsGrantedOnDisk() throws IOException {
    assertNull(chunks.allocate(2 * SEGMENT_BYTES), "in one piece");
    assertEquals(0, leasedBytes());
  }

  /** A task that writes its output to what it borrowed for sorting. */
  private record Misuse(Lease source) implements ForwardedSource {
    @Override
    public List<Extent> lease(long lengthBytes) throws IOException {
      return source.leaseMemory(MemoryUse.SORT, lengthBytes).stream().toList();
    }

    @Override
    public Extent leaseContiguous(long lengthBytes) throws IOException {
      return lease(lengthBytes).get(0);
    }
  }

  @Test
  void aSortBufferIsNoOutput() throws IOException {
    OutputId id = new OutputId(APP, "attempt_0");
    try (OutputWriter writer = new OutputWriter(new Misuse(lease), new PlainMedium(), 1, 1 << 16)) {
      writer.beginRun(0);
      writer.write(ByteBuffer.wrap(new byte[1000]));
      writer.endRun(1000, 1);
      assertThrows(CorruptOutputException.class, () -> writer.commit(id));
    }
    assertTrue(store.find(id).isEmpty());
    assertEquals(0, leasedBytes());
  }
}
