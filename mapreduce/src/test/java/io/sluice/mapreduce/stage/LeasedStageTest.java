package io.sluice.mapreduce.stage;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.spill.cipher.OutputKey;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.OutputIdentity.OutputStamp;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.ForwardedSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemorySource;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.writer.ReceivedExtents;
import io.sluice.spill.writer.WriteTarget;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LeasedStageTest extends StageAreaContract {
  @TempDir Path directory;
  private long allocatedBytes;
  private LocalStore store;
  private Lease lease;
  private StageArea area;
  private long roomBytes = Long.MAX_VALUE;

  @BeforeEach
  void open() throws IOException {
    allocatedBytes = OffHeap.allocatedBytes();
    store = openStore();
    lease = store.openLease();
    area =
        new LeasedStage(
            new ReceivedExtents(new LimitedSource(), () -> true),
            source -> WriteTarget.mapped(source, store.medium()),
            LeasedStage.WINDOW_BYTES,
            key());
  }

  /** What it encrypts with. */
  OutputKey key() {
    return null;
  }

  LocalStore openStore() throws IOException {
    return LocalStore.inMemory(directory, 192 << 20);
  }

  /** A pool that is full at some time. */
  private final class LimitedSource implements ForwardedSource, MemorySource {
    @Override
    public ExtentSource source() {
      return lease;
    }

    @Override
    public Optional<Extent> leaseMemory(MemoryUse use, long lengthBytes) throws IOException {
      if (roomBytes < lengthBytes) {
        return Optional.empty();
      }
      Optional<Extent> leased = lease.leaseMemory(use, lengthBytes);
      roomBytes -= leased.isPresent() ? lengthBytes : 0;
      return leased;
    }

    @Override
    public List<Extent> leaseDisk(long lengthBytes) throws IOException {
      if (roomBytes < lengthBytes) {
        throw new StoreFullException("every tier is full");
      }
      List<Extent> leased = lease.leaseDisk(lengthBytes);
      roomBytes -= lengthBytes;
      return leased;
    }

    @Override
    public List<Extent> lease(long lengthBytes) throws IOException {
      roomBytes -= lengthBytes;
      if (roomBytes < 0) {
        throw new StoreFullException("every tier is full");
      }
      return lease.lease(lengthBytes);
    }

    @Override
    public Extent leaseContiguous(long lengthBytes) throws IOException {
      throw new AssertionError("nothing is committed");
    }

    @Override
    public void commit(OutputStamp stamp, FooterLocation trailer) {
      throw new AssertionError("nothing is committed");
    }
  }

  /** Of many, which all wait for the last one, each would have some. */
  @Test
  void aLongRunThatIsWrittenHoldsNoMemoryOfThisProcess() throws IOException {
    long mappedBefore = OffHeap.mappedBytes();
    long allocatedBefore = OffHeap.allocatedBytes();
    StagedRun run = area.create("long");
    byte[] bytes = new byte[5_000_000];
    run.expect(bytes.length);
    run.write(bytes, 0, bytes.length);
    run.finish();
    assertEquals(mappedBefore, OffHeap.mappedBytes(), "mapped bytes");
    assertEquals(allocatedBefore, OffHeap.allocatedBytes(), "allocated bytes");
    try (RunInput input = run.open()) {
      input.read(new byte[1], 0, 1);
    }
  }

  @Test
  void noMoreThanAWindowIsMapped() throws IOException {
    WriteTarget target = WriteTarget.mapped(lease, store.medium());
    ReceivedExtents extents = new ReceivedExtents(new LimitedSource(), () -> true);
    try (StageArea little = new LeasedStage(extents, source -> target, 8 << 10, null)) {
      StagedRun run = little.create("a run");
      run.write(new byte[100_000], 0, 100_000);
      run.finish();
      little.trim();
      long mappedBefore = OffHeap.mappedBytes();
      try (RunInput input = run.open()) {
        input.read(new byte[1], 0, 1);
        assertEquals(8 << 10, OffHeap.mappedBytes() - mappedBefore);
      }
    }
  }

  @Override
  void limit(long lengthBytes) {
    roomBytes = lengthBytes;
  }

  @AfterEach
  void close() throws IOException {
    area.close();
    lease.close();
    store.close();
    assertEquals(allocatedBytes, OffHeap.allocatedBytes(), "off-heap memory");
  }

  @Override
  StageArea area() {
    return area;
  }

  @Override
  long heldBytes() {
    return store.stats().memory().leasedBytes() + store.stats().disk().leasedBytes();
  }

  /** The file that the first extent lies in. */
  Path firstSegment() throws IOException {
    return store.store().paths().path(0, 0, 0);
  }

  @Override
  void damage() throws IOException {
    try (FileChannel file =
        FileChannel.open(firstSegment(), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer one = ByteBuffer.allocate(1);
      file.read(one, 50_000);
      one.put(0, (byte) (one.get(0) ^ 1)).flip();
      file.write(one, 50_000);
    }
  }
}
