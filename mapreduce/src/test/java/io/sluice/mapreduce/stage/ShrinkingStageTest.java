package io.sluice.mapreduce.stage;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.mapreduce.stage.StageArea.StagedRun;
import io.sluice.mapreduce.testing.LocalStore;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.merge.RunInput;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.ExtentSource;
import io.sluice.spill.store.ForwardedSource;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.MemorySource;
import io.sluice.spill.store.MemorySource.MemoryUse;
import io.sluice.spill.store.StoreFullException;
import io.sluice.spill.writer.ReceivedExtents;
import io.sluice.spill.writer.WriteTarget;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Runs that a reducer has staged in memory, when its node wants that back. */
@Timeout(300)
class ShrinkingStageTest {
  private static final long MEMORY_BYTES = 32 << 20;

  @TempDir private Path directory;
  private LocalStore store;
  private Lease lease;
  private ReceivedExtents source;
  private LeasedStage stage;
  private boolean answersAreLost;

  /** What was staged. */
  private record Staged(StagedRun run, byte[] bytes) {
    void read() throws IOException {
      try (RunInput input = run.open()) {
        byte[] read = new byte[bytes.length];
        for (int done = 0; done < read.length; ) {
          done += input.read(read, done, read.length - done);
        }
        assertArrayEquals(bytes, read, run.name());
      }
    }
  }

  /** Takes back what lies on disk, but its answer may be lost. */
  private final class AnsweringSource implements ForwardedSource, MemorySource {
    @Override
    public ExtentSource source() {
      return lease;
    }

    @Override
    public Optional<Extent> leaseMemory(MemoryUse use, long lengthBytes) throws IOException {
      return lease.leaseMemory(use, lengthBytes);
    }

    @Override
    public List<Extent> leaseDisk(long lengthBytes) throws IOException {
      return lease.leaseDisk(lengthBytes);
    }

    @Override
    public void release(List<Extent> extents) throws IOException {
      lease.release(extents);
      if (answersAreLost && extents.stream().anyMatch(it -> it.segment().tier() == Tier.DISK)) {
        throw new IOException("the answer is lost");
      }
    }
  }

  private void open(LocalStore opened) throws IOException {
    store = opened;
    lease = store.openLease();
    source = new ReceivedExtents(new AnsweringSource(), () -> true);
    stage =
        new LeasedStage(source, each -> WriteTarget.mapped(each, store.medium()), 64 << 10, null);
  }

  private void openBothTiers() throws IOException {
    open(LocalStore.withDisk(directory, MEMORY_BYTES, directory.resolve("disk")));
  }

  @AfterEach
  void close() throws IOException {
    stage.close();
    assertEquals(0, source.heldBytes());
    assertEquals(0, store.stats().memory().leasedBytes());
    assertEquals(0, store.stats().disk().leasedBytes());
    lease.close();
    store.close();
  }

  private Staged stage(Random random, int number) throws IOException {
    return stage(random, number, 1 + random.nextInt(random.nextInt(10) == 0 ? 6_000_000 : 200_000));
  }

  private Staged stage(Random random, int number, int lengthBytes) throws IOException {
    byte[] bytes = new byte[lengthBytes];
    random.nextBytes(bytes);
    StagedRun run = stage.create("run " + number);
    if (random.nextBoolean()) {
      run.expect(bytes.length);
    }
    for (int done = 0; done < bytes.length; ) {
      int length = Math.min(bytes.length - done, 1 + random.nextInt(50_000));
      run.write(bytes, done, length);
      done += length;
    }
    run.finish();
    return new Staged(run, bytes);
  }

  private List<Staged> stageSome(Random random, int count) throws IOException {
    List<Staged> staged = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      staged.add(stage(random, i));
    }
    return staged;
  }

  @Test
  void whatWasReceivedLeavesMemoryAndIsTheSame() throws Exception {
    openBothTiers();
    List<Staged> staged = stageSome(new Random(TestSeed.next("whatWasReceived")), 20);
    assertTrue(source.heldBytes() > 0);
    assertEquals(source.heldBytes(), store.stats().memory().leasedBytes());
    stage.keepAtMost(0);
    assertEquals(0, source.heldBytes());
    assertEquals(0, store.stats().memory().leasedBytes());
    for (Staged each : staged) {
      each.read();
    }
  }

  @Test
  void noMoreLeavesThanIsWanted() throws Exception {
    openBothTiers();
    List<Staged> staged = stageSome(new Random(TestSeed.next("noMoreLeaves")), 20);
    long heldBytes = source.heldBytes();
    stage.keepAtMost(heldBytes);
    assertEquals(heldBytes, source.heldBytes());
    stage.keepAtMost(heldBytes - 1);
    assertTrue(source.heldBytes() < heldBytes);
    for (Staged each : staged) {
      each.read();
    }
  }

  /** Others write and read meanwhile; what they have stays, and all of it is what it was. */
  @Test
  void runsAreWrittenAndReadWhileOthersLeave() throws Exception {
    openBothTiers();
    long seed = TestSeed.next("runsAreWrittenAndRead");
    AtomicBoolean done = new AtomicBoolean();
    CompletableFuture<Void> shrinking =
        CompletableFuture.runAsync(
            () -> {
              Random random = new Random(seed);
              while (!done.get()) {
                try {
                  stage.keepAtMost(random.nextInt((int) MEMORY_BYTES));
                } catch (IOException e) {
                  throw new AssertionError(e);
                }
              }
            });
    List<CompletableFuture<Void>> users = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      Random random = new Random(seed + i);
      users.add(CompletableFuture.runAsync(() -> use(random)));
    }
    for (CompletableFuture<Void> each : users) {
      each.get();
    }
    done.set(true);
    shrinking.get();
  }

  private void use(Random random) {
    try {
      List<Staged> kept = new ArrayList<>();
      for (int i = 0; i < 60; i++) {
        kept.add(stage(random, i));
        if (kept.size() > 5) {
          Staged one = kept.remove(random.nextInt(kept.size()));
          if (random.nextInt(4) == 0) {
            one.run().close();
          } else {
            one.read();
          }
        }
      }
      for (Staged each : kept) {
        each.read();
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void whatCannotBeLaidOnDiskStaysInMemory() throws Exception {
    open(LocalStore.inMemory(directory, MEMORY_BYTES));
    List<Staged> staged = stageSome(new Random(TestSeed.next("whatCannotBeLaid")), 5);
    assertThrows(StoreFullException.class, () -> stage.keepAtMost(0));
    for (Staged each : staged) {
      each.read();
    }
  }

  /** A volume that is full gives back what only writing needs, once the run is there. */
  @Test
  void aRunThatHasLeftLeavesNothingBehindAlsoIfTheVolumeItFillsCannotBeEnded() throws Exception {
    int fullBytes = 64 << 20;
    open(LocalStore.withDisk(directory, fullBytes + MEMORY_BYTES, directory.resolve("disk")));
    Staged staged = stage(new Random(TestSeed.next("aRunThatHasLeft")), 0, fullBytes);
    assertTrue(source.heldBytes() >= fullBytes);
    answersAreLost = true;
    IOException failed = assertThrows(IOException.class, () -> stage.keepAtMost(0));
    assertEquals("the answer is lost", failed.getMessage());
    assertEquals(0, source.heldBytes(), "of the volume in memory");
    answersAreLost = false;
    staged.read();
    assertEquals(0, store.stats().disk().leasedBytes(), "of the volume on disk");
  }

  @Test
  void whoIsToGiveBackLeasesNoMoreMemory() throws Exception {
    openBothTiers();
    source.keepAtMost(0);
    Staged staged = stage(new Random(TestSeed.next("whoIsToGiveBack")), 0);
    assertEquals(0, source.heldBytes());
    staged.read();
  }
}
