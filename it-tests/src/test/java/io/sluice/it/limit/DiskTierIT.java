package io.sluice.it.limit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sluice.it.limit.LoopVolume.Programs;
import io.sluice.it.limit.ResourceGroup.DeviceRate;
import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.memory.OffHeap;
import io.sluice.rdma.testing.TestSeed;
import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.format.OutputId;
import io.sluice.spill.medium.PlainMedium;
import io.sluice.spill.store.CommittedOutput;
import io.sluice.spill.store.Lease;
import io.sluice.spill.store.OutputReads;
import io.sluice.spill.store.SpillStore;
import io.sluice.spill.store.StoreConfig;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A disk tier on two real devices, of which the one with more room hangs, is full, or is slow: what
 * lies on the other goes on.
 */
@Timeout(300)
class DiskTierIT {
  private static final int MIB = 1 << 20;
  private static final String APP = "application_1";
  private static final long TIMEOUT_MS = 10_000;

  private final long allocatedBefore = OffHeap.allocatedBytes();
  private final Random random = TestSeed.random();
  private LimitDirectory directory;
  private LoopVolume bad;
  private LoopVolume good;
  private SpillStore store;

  @BeforeAll
  static void canMount() {
    Limited.require(LoopVolume.unavailableBecause());
  }

  @BeforeEach
  void open() throws IOException {
    directory = Limited.directory();
    bad = LoopVolume.create(directory.path(), "bad", 256L * MIB);
    good = LoopVolume.create(directory.path(), "good", 128L * MIB);
    store =
        SpillStore.open(
            StoreConfig.builder(directory.path().resolve("pool"), 0)
                .disk(List.of(tier(bad), tier(good)), 0, 0)
                .diskTimeoutMs(TIMEOUT_MS)
                .build());
  }

  @AfterEach
  void close() throws IOException {
    Closer.all(store, good::close, bad::close, directory::close);
    assertEquals(allocatedBefore, OffHeap.allocatedBytes(), "off-heap memory");
  }

  private static Path tier(LoopVolume volume) {
    return volume.mount().resolve("tier");
  }

  /** One task's output of one run. */
  private byte[] commit(String name, int lengthBytes) throws IOException {
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = new OutputWriter(lease, new PlainMedium(), 1, MIB)) {
      byte[] run = write(writer, lengthBytes);
      writer.commit(new OutputId(APP, name));
      return run;
    }
  }

  private byte[] write(OutputWriter writer, int lengthBytes) throws IOException {
    byte[] run = new byte[lengthBytes];
    random.nextBytes(run);
    writer.beginRun(0);
    writer.write(run, 0, run.length);
    writer.endRun(run.length, 1);
    writer.flush();
    return run;
  }

  private void assertHolds(String name, byte[] run) throws IOException {
    CommittedOutput output = store.find(new OutputId(APP, name)).orElseThrow();
    ByteBuffer read = ByteBuffer.allocate(run.length);
    new OutputReads(store::find).copy(output, 0, read);
    assertArrayEquals(run, read.array());
  }

  private void assertLies(String name, LoopVolume volume) {
    store
        .find(new OutputId(APP, name))
        .orElseThrow()
        .extents()
        .forEach(extent -> assertTrue(extent.segment().path().startsWith(volume.mount()), name));
  }

  private boolean hangs(LoopVolume volume) {
    return store.deviceStats().stream()
        .filter(each -> each.name().startsWith(volume.mount().toString()))
        .anyMatch(DeviceStats::hangs);
  }

  @Test
  void aDeviceThatHangsFailsWhatIsWrittenThereAndNothingElse() throws Exception {
    byte[] before = commit("before", 3 * MIB);
    assertLies("before", bad);
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = new OutputWriter(lease, new PlainMedium(), 1, MIB)) {
      writer.reserveCapacity(16 * MIB);
      write(writer, MIB);
      Programs.run("fsfreeze", "-f", bad.mount().toString());
      try {
        IOException failure = assertThrows(IOException.class, () -> write(writer, 8 * MIB));
        assertTrue(failure.getMessage().contains("has not answered"), failure.toString());
        assertTrue(hangs(bad));
        assertFalse(hangs(good));
        byte[] elsewhere = commit("elsewhere", 5 * MIB);
        assertLies("elsewhere", good);
        assertHolds("elsewhere", elsewhere);
        assertThrows(IOException.class, () -> assertHolds("before", before));
        assertEquals(1, store.stats().failedDirectories());
      } finally {
        Programs.run("fsfreeze", "-u", bad.mount().toString());
      }
    }
    while (hangs(bad)) {
      Thread.sleep(1); // until the kernel has answered; the test's own time limit ends this
    }
    assertHolds("before", before);
  }

  @Test
  void aFullDeviceFailsOneOutputAndTheNextGoesElsewhere() throws Exception {
    Path filler = bad.mount().resolve("filler");
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = new OutputWriter(lease, new PlainMedium(), 1, MIB)) {
      writer.reserveCapacity(16 * MIB);
      write(writer, MIB);
      fill(filler);
      IOException failure = assertThrows(IOException.class, () -> write(writer, 8 * MIB));
      assertTrue(failure.getMessage().contains("No space left"), failure.toString());
    }
    byte[] next = commit("next", 5 * MIB);
    assertLies("next", good);
    assertHolds("next", next);
    assertFalse(hangs(bad));
  }

  private static void fill(Path file) {
    byte[] zeros = new byte[MIB];
    try (OutputStream out = Files.newOutputStream(file)) {
      while (true) {
        out.write(zeros);
      }
    } catch (IOException e) {
      assertTrue(e.getMessage().contains("No space left"), e.toString());
    }
    Programs.run("sync", "-f", file.toString()); // both volumes lie on one disk
  }

  /** It takes longer than a device has for an answer: that is for one unit, and not for all. */
  @Test
  void aSlowDeviceIsNotADeadOneAndTheOtherDoesNotWaitForIt() throws Exception {
    Limited.require(ResourceGroups.unavailableBecause());
    try (ResourceGroup group = ResourceGroups.make(directory.path())) {
      assumeTrue(group.title().contains("v1"), "this process is in no group that can be bounded");
      bad.limit(group, new DeviceRate(2 * MIB, 1000));
      CountDownLatch begun = new CountDownLatch(1);
      CompletableFuture<byte[]> slow = CompletableFuture.supplyAsync(() -> slowly(begun));
      assertTrue(begun.await(120, TimeUnit.SECONDS), "the slow one has not begun");
      Programs.run(
          "fallocate", "-l", "200M", bad.mount().resolve("filler").toString()); // less room here
      for (int i = 0; i < 5; i++) {
        byte[] run = commit("quick" + i, MIB);
        assertLies("quick" + i, good);
        assertHolds("quick" + i, run);
      }
      assertFalse(slow.isDone(), "the slow device is as quick as the other one");
      assertHolds("slow", slow.get(120, TimeUnit.SECONDS));
      assertLies("slow", bad);
    }
  }

  private byte[] slowly(CountDownLatch begun) {
    try (Lease lease = store.openLease(APP);
        OutputWriter writer = new OutputWriter(lease, new PlainMedium(), 1, 24L * MIB)) {
      writer.reserveCapacity(24L * MIB);
      begun.countDown();
      byte[] run = new byte[20 * MIB];
      new Random(1).nextBytes(run);
      writer.beginRun(0);
      writer.write(run, 0, run.length);
      writer.endRun(run.length, 1);
      writer.commit(new OutputId(APP, "slow"));
      return run;
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
