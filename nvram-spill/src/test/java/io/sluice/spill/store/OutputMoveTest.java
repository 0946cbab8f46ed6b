package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.disk.DeviceStats;
import io.sluice.spill.disk.IoClass;
import io.sluice.spill.format.FooterLayout;
import io.sluice.spill.format.FooterLayout.FooterLocation;
import io.sluice.spill.format.FooterReader;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.StoreStats.ApplicationUse;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Outputs that leave the memory tier while they are read, and whatever may happen meanwhile. */
@Timeout(300)
@Tag("slow")
class OutputMoveTest extends PoolTestBase {
  private static final int OUTPUT_BYTES = 300_000;

  private Random random;
  private final AtDiskFile beforeSwitch = new AtDiskFile();

  @BeforeEach
  void seed() {
    random = seeded("OutputMoveTest");
  }

  private StoreConfig.Builder watched(int segments) {
    return configWithDisk(segments).segmentListener(beforeSwitch);
  }

  private Outputs.Content commit(SpillStore store, int number, int bytes) throws IOException {
    try (Lease lease = store.openLease(APP)) {
      return commit(lease, id(number), random, bytes);
    }
  }

  private static CommittedOutput output(SpillStore store, int number) {
    return store.find(id(number)).orElseThrow();
  }

  private static void assertOn(Tier tier, CommittedOutput output) {
    assertEquals(output.location().lengthBytes(), output.location().bytesOf(tier), "on " + tier);
  }

  /** Draws outputs until one is long enough for that. */
  private CommittedOutput onBothTiers(SpillStore store) throws IOException {
    while (true) {
      commit(store, 1, 2 * SEGMENT_BYTES);
      CommittedOutput drawn = output(store, 1);
      long inMemoryBytes = drawn.location().bytesOf(Tier.MEMORY);
      if (inMemoryBytes > 0 && inMemoryBytes < drawn.location().lengthBytes()) {
        return drawn;
      }
      store.freeOutput(id(1));
    }
  }

  private void assertEnds(SpillStore store) throws IOException {
    store.freeApplication(APP);
    assertAllFree(store);
    assertEquals(0, filesOnDisk(), "files of the disk tier");
  }

  private long filesOnDisk() throws IOException {
    try (Stream<Path> files = Files.walk(disk())) {
      return files.filter(file -> file.toString().contains("segment")).count();
    }
  }

  @Test
  void anOutputIsTheSameElsewhere() throws Exception {
    try (SpillStore store = open(configWithDisk(4).build())) {
      for (int i = 0; i < 8; i++) {
        Outputs.Content content = commit(store, i, 1 + random.nextInt(OUTPUT_BYTES));
        CommittedOutput before = output(store, i);
        long freedBytes = store.moveToDisk(before, () -> true);
        CommittedOutput after = output(store, i);
        assertEquals(before.location().bytesOf(Tier.MEMORY), freedBytes);
        assertOn(Tier.DISK, after);
        assertTrue(after.hasTheBytesOf(before));
        assertTrue(after.location().generation() > before.location().generation());
        assertFalse(before.location().isHeld());
        FooterLocation trailer = before.location().trailer();
        assertFalse(FooterReader.looksCommitted(before.location().tail(), trailer.endBytes()));
        Outputs.check(store, id(i), content);
      }
      assertEquals(List.of(), inMemory(store));
      StoreStats stats = store.stats();
      assertEquals(0, stats.memory().usedBytes());
      assertEquals(
          List.of(new ApplicationUse(APP, 0, stats.disk().committedBytes())),
          store.applicationUses());
      assertEnds(store);
    }
  }

  /** Of its end, as much as it happens. */
  private long moveSome(SpillStore store, int number) throws IOException {
    AtomicLong wantedBytes = new AtomicLong(1);
    long partBytes = 1 + random.nextInt(OUTPUT_BYTES / 2);
    return store.moveToDisk(
        output(store, number), partBytes, () -> wantedBytes.getAndSet(0), () -> true);
  }

  private static long inMemoryBytes(SpillStore store, int number) {
    return output(store, number).location().bytesOf(Tier.MEMORY);
  }

  /** What is read last leaves first, and whoever looks meanwhile finds all of it. */
  @Test
  void anOutputThatLeavesInPartsIsTheSameAfterEach() throws Exception {
    int several = 0;
    for (int i = 0; i < 20 || several == 0; i++) { // some are drawn too short to leave in parts
      try (SpillStore store = open(configWithDisk(3).build())) {
        Outputs.Content content = commitByTurns(store, 1 + random.nextInt(2 * SEGMENT_BYTES));
        for (long leftBytes = inMemoryBytes(store, 1); leftBytes > 0; ) {
          CommittedOutput before = output(store, 1);
          if (random.nextBoolean()) {
            before.runs(0);
          }
          assertEquals(leftBytes - moveSome(store, 1), inMemoryBytes(store, 1));
          CommittedOutput after = output(store, 1);
          assertFalse(before.location().isHeld());
          assertTrue(inMemoryBytes(store, 1) < leftBytes, "something leaves each time");
          assertTrue(after.hasTheBytesOf(before));
          assertEquals(
              inMemory(after), inMemory(before).subList(0, inMemory(after).size()), "the end");
          Outputs.check(store, id(1), content);
          leftBytes = inMemoryBytes(store, 1);
          several += leftBytes > 0 ? 1 : 0;
          assertEquals(leftBytes, store.stats().memory().usedBytes(), "what has left is free");
          assertEquals(
              after.location().bytesOf(Tier.DISK),
              store.stats().disk().usedBytes(),
              "no more is held");
        }
        assertEnds(store);
      }
    }
  }

  private static List<Extent> inMemory(CommittedOutput output) {
    return output.extents().stream()
        .filter(extent -> extent.segment().tier() == Tier.MEMORY)
        .toList();
  }

  @Test
  void whatHasLeftInPartIsFoundByTheNextStore() throws Exception {
    for (int i = 0; i < 10; i++) {
      Outputs.Content content;
      StoreConfig.Builder config = configWithDisk(3).recover(Set.of(APP));
      long leftBytes;
      try (SpillStore store = open(config.build())) {
        content = commit(store, 1, 2 * SEGMENT_BYTES);
        while (output(store, 1).extents().size() < 2) {
          store.freeOutput(id(1));
          content = commit(store, 1, 2 * SEGMENT_BYTES);
        }
        moveSome(store, 1);
        leftBytes = inMemoryBytes(store, 1);
      }
      try (SpillStore store = open(config.build())) {
        assertEquals(leftBytes, inMemoryBytes(store, 1));
        Outputs.check(store, id(1), content);
        store.moveToDisk(output(store, 1), () -> true);
        Outputs.check(store, id(1), content);
        assertEnds(store);
      }
    }
  }

  /** So that a run is found elsewhere once, and not for each part. */
  @Test
  void whatReadersWereToldOfLeavesAtOnce() throws Exception {
    try (SpillStore store = open(configWithDisk(3).build())) {
      Outputs.Content content = commitInBlocks(store);
      moveOneExtent(store);
      long generation = output(store, 1).location().generation();
      output(store, 1).runs(0);
      moveOneExtent(store);
      assertOn(Tier.DISK, output(store, 1));
      assertTrue(output(store, 1).location().generation() > generation);
      Outputs.check(store, id(1), content);
      assertEnds(store);
    }
  }

  private static void moveOneExtent(SpillStore store) throws IOException {
    AtomicLong wantedBytes = new AtomicLong(1);
    assertTrue(
        store.moveToDisk(output(store, 1), 1, () -> wantedBytes.getAndSet(0), () -> true) > 0);
  }

  /** What has left is free; nobody is told that the disk is full before nothing can leave. */
  @Test
  void aDiskThatIsFullKeepsTheRestWhereItIs() throws Exception {
    StoreConfig config = config(3).disk(List.of(disk()), 3 * BLOCK_BYTES, 0).build();
    try (SpillStore store = open(config)) {
      Outputs.Content content = commitInBlocks(store);
      long inMemoryBytes = inMemoryBytes(store, 1);
      long freedBytes =
          store.moveToDisk(output(store, 1), 1, () -> Long.MAX_VALUE, () -> true); // in blocks
      assertTrue(freedBytes > 0 && freedBytes < inMemoryBytes, "freed " + freedBytes);
      assertEquals(inMemoryBytes - freedBytes, inMemoryBytes(store, 1));
      assertThrows(
          StoreFullException.class,
          () -> store.moveToDisk(output(store, 1), 1, () -> Long.MAX_VALUE, () -> true));
      Outputs.check(store, id(1), content);
      assertEnds(store);
    }
  }

  /** Commits an output of which each block is an extent of its own. */
  private Outputs.Content commitInBlocks(SpillStore store) throws IOException {
    int partitions = 10;
    List<Extent> held = new ArrayList<>();
    try (Lease hog = store.openLease(APP)) {
      for (int i = 0; i < 3 * SEGMENT_BYTES / BLOCK_BYTES; i++) {
        held.addAll(hog.lease(BLOCK_BYTES));
      }
      for (Extent each : held) {
        if (each.offsetBytes() / BLOCK_BYTES % 2 == 0) {
          hog.release(List.of(each));
        }
      }
      byte[] run = new byte[12_000];
      random.nextBytes(run);
      Outputs.Content content =
          new Outputs.Content(
              partitions,
              IntStream.range(0, partitions).boxed().toList(),
              Collections.nCopies(partitions, run));
      try (Lease lease = store.openLease(APP);
          OutputWriter writer = writer(lease, partitions)) {
        Outputs.write(writer, content, random);
        writer.commit(id(1));
      }
      assertOn(Tier.MEMORY, output(store, 1));
      assertTrue(output(store, 1).extents().size() > 3, output(store, 1).extents().toString());
      return content;
    }
  }

  /** A device that is busy does the former first. */
  @Test
  void eachUnitIsWrittenAsAwaitedOrNot() throws Exception {
    try (SpillStore store = open(configWithDisk(4).build())) {
      commit(store, 1, OUTPUT_BYTES);
      AtomicBoolean awaited = new AtomicBoolean(true);
      store.moveToDisk(output(store, 1), () -> awaited.getAndSet(false));
      Map<IoClass, DeviceStats.Done> done = store.deviceStats().get(0).classes();
      assertEquals(1, done.get(IoClass.WRITE_SEND).waits().count());
      assertTrue(done.get(IoClass.WRITE_AHEAD).waits().count() > 0);
      assertEnds(store);
    }
  }

  @Test
  void anOutputOfManyExtentsIsTheSameInOne() throws Exception {
    try (SpillStore store = open(configWithDisk(5).build())) {
      List<Extent> held = new ArrayList<>();
      Lease lease = store.openLease(APP);
      for (int i = 0; i < 5 * SEGMENT_BYTES / BLOCK_BYTES; i++) {
        held.addAll(lease.lease(BLOCK_BYTES));
      }
      for (int i = 0; i < held.size(); i += 2) {
        lease.release(List.of(held.get(i))); // what is free lies in single blocks
      }
      byte[] run = new byte[3 * SEGMENT_BYTES / 4];
      random.nextBytes(run);
      Outputs.Content content = new Outputs.Content(2, List.of(0, 1, 0), List.of(run, run, run));
      try (Lease other = store.openLease(APP);
          OutputWriter writer = writer(other, 2)) {
        Outputs.write(writer, content, random);
        writer.commit(id(1));
      }
      CommittedOutput before = output(store, 1);
      assertOn(Tier.MEMORY, before);
      assertEquals(before.location().lengthBytes(), store.moveToDisk(before, () -> true));
      assertOn(Tier.DISK, output(store, 1));
      assertEquals(1, output(store, 1).extents().size());
      Outputs.check(store, id(1), content);
      lease.close();
      assertEnds(store);
    }
  }

  /** Commits an output that lies now on one tier, now on the other. */
  private Outputs.Content commitByTurns(SpillStore store, int bytes) throws IOException {
    List<Extent> hogged = new ArrayList<>();
    try (Lease hog = store.openLease(APP);
        Lease lease = store.openLease(APP)) {
      ForwardedSource byTurns =
          new ForwardedSource() {
            @Override
            public ExtentSource source() {
              return lease;
            }

            @Override
            public List<Extent> lease(long lengthBytes) throws IOException {
              letHave(hog, hogged, random.nextBoolean());
              return lease.lease(lengthBytes);
            }

            @Override
            public Extent leaseContiguous(long lengthBytes) throws IOException {
              letHave(hog, hogged, random.nextBoolean());
              return lease.leaseContiguous(lengthBytes);
            }
          };
      return commit(byTurns, id(1), random, bytes);
    }
  }

  /** All of the memory tier, or nothing. */
  private static void letHave(Lease hog, List<Extent> hogged, boolean all) throws IOException {
    hog.release(List.copyOf(hogged));
    hogged.clear();
    while (all) {
      Extent extent = hog.leaseContiguous(BLOCK_BYTES);
      if (extent.segment().tier() == Tier.DISK) {
        hog.release(List.of(extent));
        return;
      }
      hogged.add(extent);
    }
  }

  private static List<Extent> onDisk(CommittedOutput output) {
    return output.extents().stream()
        .filter(extent -> extent.segment().tier() == Tier.DISK)
        .toList();
  }

  @Test
  void whatLiesOnDiskStaysThereAndIsNotWrittenAgain() throws Exception {
    int mixed = 0;
    for (int i = 0; i < 30; i++) {
      try (SpillStore store = open(configWithDisk(3).build())) {
        Outputs.Content content = commitByTurns(store, 1 + random.nextInt(2 * SEGMENT_BYTES));
        CommittedOutput before = output(store, 1);
        long inMemoryBytes = before.location().bytesOf(Tier.MEMORY);
        if (random.nextBoolean()) {
          before.runs(0);
        }
        assertEquals(inMemoryBytes, store.moveToDisk(before, () -> true));
        CommittedOutput after = output(store, 1);
        assertOn(Tier.DISK, after);
        Set<Extent> stayed = new HashSet<>(onDisk(before));
        mixed += stayed.isEmpty() || inMemoryBytes == 0 ? 0 : 1;
        stayed.removeAll(after.extents());
        assertTrue(stayed.size() <= 1, "what is behind the identity need not stay");
        Outputs.check(store, id(1), content);
        assertEquals(
            after.location().lengthBytes(), store.stats().disk().usedBytes(), "no more is held");
        assertEnds(store);
      }
    }
    assertTrue(mixed > 5, "outputs on both tiers: " + mixed);
  }

  /** As where a disk was slow to cut a file: what stays there is known with another length. */
  @Test
  void whatStaysOnDiskStaysWhenItsFileWasCutBehindTheCommit() throws Exception {
    for (boolean copied : new boolean[] {false, true}) {
      try (SpillStore store = open(configWithDisk(1).build())) {
        Outputs.Content content;
        do {
          store.freeOutput(id(1));
          try (Lease lease = store.openLease(APP)) {
            content = commit(new GivingBackAtTheEnd(lease), id(1), random, 2 * SEGMENT_BYTES);
          }
        } while (!wasCut(store, output(store, 1)));
        if (copied) {
          store.copyToDisk(output(store, 1));
        }
        assertTrue(store.moveToDisk(output(store, 1), () -> true) > 0);
        assertOn(Tier.DISK, output(store, 1));
        Outputs.check(store, id(1), content);
        assertEnds(store);
      }
    }
  }

  private record GivingBackAtTheEnd(Lease source) implements ForwardedSource {
    @Override
    public void release(List<Extent> extents) {
      // by its close
    }
  }

  /** Whether some of it is in memory, and some in a file that was longer at its commit. */
  private static boolean wasCut(SpillStore store, CommittedOutput output) {
    return output.location().bytesOf(Tier.MEMORY) > 0
        && onDisk(output).stream()
            .map(Extent::segment)
            .anyMatch(at -> !store.segment(at.segmentId()).orElseThrow().info().equals(at));
  }

  @Test
  void whatReadersWereToldOfLeavesLastAndTheLargestFirst() throws Exception {
    try (SpillStore store = open(configWithDisk(4).build())) {
      int[] bytes = {100_000, 1_000, 400_000, 200_000};
      for (int i = 0; i < bytes.length; i++) {
        try (Lease lease = store.openLease(APP);
            OutputWriter writer = writer(lease, 1)) {
          writer.beginRun(0);
          writer.write(new byte[bytes[i]], 0, bytes[i]);
          writer.endRun(bytes[i], 1);
          writer.commit(id(i));
        }
      }
      output(store, 2).runs(0);
      assertEquals(List.of(id(3), id(0), id(1), id(2)), inMemory(store));
    }
  }

  @Test
  void whatNobodyWasToldOfIsGrantedAtOnceAndTheRestWhenItIsWanted() throws Exception {
    try (SpillStore store = open(configWithDisk(1).build())) {
      commit(store, 1, OUTPUT_BYTES / 3); // so that both have room beside each other
      commit(store, 2, OUTPUT_BYTES / 3);
      CommittedOutput untold = output(store, 1);
      CommittedOutput told = output(store, 2);
      told.runs(0);
      byte[] bytes = new byte[(int) told.totalBytes()];
      told.location().read(0, bytes);
      store.moveToDisk(untold, () -> true);
      store.moveToDisk(told, () -> true);
      try (Lease lease = store.openLease(APP)) {
        long othersBytes = SEGMENT_BYTES - told.location().lengthBytes();
        lease.lease(othersBytes);
        byte[] still = new byte[bytes.length];
        told.location().read(0, still); // as who was told of it does
        assertTrue(Arrays.equals(bytes, still), "overwritten although there was other room");
        assertOn(Tier.MEMORY, lease.lease(told.location().lengthBytes()));
        assertEquals(0, store.stats().overflows());
      }
      assertEnds(store);
    }
  }

  private static void assertOn(Tier tier, List<Extent> extents) {
    extents.forEach(extent -> assertEquals(tier, extent.segment().tier()));
  }

  @Test
  void readersInTheProcessReadThroughMoves() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      List<byte[]> all = new ArrayList<>();
      for (int i = 0; i < 6; i++) {
        commit(store, i, OUTPUT_BYTES);
        byte[] bytes = new byte[(int) output(store, i).totalBytes()];
        output(store, i).location().read(0, bytes);
        all.add(bytes);
      }
      AtomicBoolean done = new AtomicBoolean();
      AtomicReference<Throwable> failure = new AtomicReference<>();
      Thread reader = new Thread(() -> read(store, all, done, failure));
      reader.start();
      for (int i = 0; i < 6; i++) {
        while (output(store, i).location().bytesOf(Tier.MEMORY) > 0) {
          moveSome(store, i);
          try (Lease lease = store.openLease(APP + "other")) {
            overwrite(lease.lease(2 * SEGMENT_BYTES - committedBytes(store)));
          }
        }
      }
      done.set(true);
      reader.join();
      if (failure.get() != null) {
        throw new AssertionError(failure.get());
      }
    }
  }

  private static long committedBytes(SpillStore store) {
    return store.stats().memory().committedBytes();
  }

  private static void read(
      SpillStore store, List<byte[]> all, AtomicBoolean done, AtomicReference<Throwable> failure) {
    try {
      OutputReads reads = new OutputReads(store::find);
      CommittedOutput[] seen = new CommittedOutput[all.size()];
      for (int i = 0; i < seen.length; i++) {
        seen[i] = output(store, i);
      }
      do {
        for (int i = 0; i < seen.length; i++) {
          byte[] bytes = new byte[all.get(i).length];
          seen[i] = reads.copy(seen[i], 0, ByteBuffer.wrap(bytes));
          if (!Arrays.equals(all.get(i), bytes)) {
            throw new AssertionError("output " + i + " has other bytes");
          }
        }
      } while (!done.get());
    } catch (IOException | RuntimeException | Error e) {
      failure.set(e);
    }
  }

  private void overwrite(List<Extent> extents) throws IOException {
    for (Extent extent : extents) {
      byte[] noise = new byte[(int) extent.lengthBytes()];
      random.nextBytes(noise);
      try (FileChannel file = FileChannel.open(extent.segment().path(), StandardOpenOption.WRITE)) {
        file.write(
            ByteBuffer.wrap(noise), extent.segment().fileOffsetBytes() + extent.offsetBytes());
      }
    }
  }

  /** What the switch changes is not done, and nothing is left of the copy. */
  private void assertMovesNothing(SpillStore store, Outputs.Content content) throws IOException {
    assertOn(Tier.MEMORY, output(store, 1));
    assertTrue(output(store, 1).location().isHeld());
    Outputs.check(store, id(1), content);
    assertEquals(0, store.stats().disk().createdBytes());
    assertEnds(store);
  }

  @Test
  void aDiskThatIsFullKeepsTheOutputWhereItIs() throws Exception {
    StoreConfig config = config(2).disk(List.of(disk()), BLOCK_BYTES, 0).build();
    try (SpillStore store = open(config)) {
      Outputs.Content content = commit(store, 1, OUTPUT_BYTES);
      while (output(store, 1).location().lengthBytes() <= BLOCK_BYTES) { // which may be empty
        store.freeOutput(id(1));
        content = commit(store, 1, OUTPUT_BYTES);
      }
      assertThrows(StoreFullException.class, () -> store.moveToDisk(output(store, 1), () -> true));
      assertEquals(0, store.stats().refusals(), "no task was refused");
      assertMovesNothing(store, content);
    }
  }

  /** Its file is closed just when it is announced, so that the mark cannot be set. */
  @Test
  void aDiskThatFailsAtTheMarkKeepsTheOutputWhereItIs() throws Exception {
    try (SpillStore store = open(watched(2).build())) {
      Outputs.Content content = commit(store, 1, OUTPUT_BYTES);
      beforeSwitch.set(segment -> segment.file().close());
      assertThrows(IOException.class, () -> store.moveToDisk(output(store, 1), () -> true));
      assertEquals(1, store.stats().failedDirectories());
      assertMovesNothing(store, content);
    }
  }

  @Test
  void aDiskThatHangsCostsADeadline() throws Exception {
    boolean checked = false;
    try (SpillStore store = open(watched(2).diskTimeoutMs(SLOW_DISK_MS).build())) {
      Outputs.Content content = commit(store, 1, OUTPUT_BYTES);
      HeldFile held = new HeldFile();
      beforeSwitch.set(segment -> held.hold(store));
      assertThrows(IOException.class, () -> store.moveToDisk(output(store, 1), () -> true));
      assertOn(Tier.MEMORY, output(store, 1));
      Outputs.check(store, id(1), content);
      held.release();
      assertNotEquals(0, store.stats().failedDirectories());
      checked = true;
    } catch (IOException e) { // the close may come before the disk answers again
      assertTrue(checked, e.toString());
      assertTrue(e.getMessage().contains("is not done after"), e.toString());
    }
  }

  /** Has the monitor of the only file of the disk tier, on a thread of its own. */
  private static final class HeldFile {
    private final Object released = new Object();
    private boolean isReleased;
    private Thread thread;

    void hold(SpillStore store) {
      Object file =
          store
              .segment(
                  store.segments().stream()
                      .filter(info -> info.tier() == Tier.DISK)
                      .findFirst()
                      .orElseThrow()
                      .segmentId())
              .orElseThrow()
              .file();
      AtomicBoolean holds = new AtomicBoolean();
      thread =
          new Thread(
              () -> {
                synchronized (file) {
                  holds.set(true);
                  synchronized (released) {
                    while (!isReleased) {
                      try {
                        released.wait();
                      } catch (InterruptedException e) {
                        return;
                      }
                    }
                  }
                }
              });
      thread.start();
      while (!holds.get()) {
        Thread.onSpinWait();
      }
    }

    void release() throws InterruptedException {
      synchronized (released) {
        isReleased = true;
        released.notifyAll();
      }
      thread.join();
    }
  }

  @Test
  void anApplicationThatEndsMeanwhileLeavesNothing() throws Exception {
    try (SpillStore store = open(watched(2).build())) {
      commit(store, 1, OUTPUT_BYTES);
      beforeSwitch.set(segment -> store.freeApplication(APP));
      assertEquals(0, store.moveToDisk(output(store, 1), () -> true));
      assertTrue(store.find(id(1)).isEmpty());
      assertEnds(store);
    }
  }

  @Test
  void anOutputThatIsReplacedMeanwhileIsNotBroughtBack() throws Exception {
    try (SpillStore store = open(watched(2).build())) {
      commit(store, 1, OUTPUT_BYTES);
      AtomicReference<Outputs.Content> later = new AtomicReference<>();
      beforeSwitch.set(
          segment -> {
            try (Lease lease = store.openLease(APP)) {
              later.set(commit(ReplaceTest.replacing(lease), id(1), random, 1_000));
            }
          });
      assertEquals(0, store.moveToDisk(output(store, 1), () -> true));
      Outputs.check(store, id(1), later.get());
      assertEnds(store);
    }
  }

  @Test
  void aStoreThatEndsMeanwhileFindsTheOutputWhereItWas() throws Exception {
    Outputs.Content content;
    try (SpillStore store = open(watched(2).build())) {
      content = commit(store, 1, OUTPUT_BYTES);
      beforeSwitch.set(segment -> store.quiesce());
      assertThrows(IOException.class, () -> store.moveToDisk(output(store, 1), () -> true));
    }
    try (SpillStore next = open(configWithDisk(2).recover(Set.of()).build())) {
      assertOn(Tier.MEMORY, output(next, 1));
      Outputs.check(next, id(1), content);
      assertEnds(next);
    }
  }

  @Test
  void whatWasMovedIsFoundAgain() throws Exception {
    Outputs.Content content;
    try (SpillStore store = open(configWithDisk(2).build())) {
      content = commit(store, 1, OUTPUT_BYTES);
      output(store, 1).runs(0);
      store.moveToDisk(output(store, 1), () -> true);
    }
    try (SpillStore next = open(configWithDisk(2).recover(Set.of()).build())) {
      assertOn(Tier.DISK, output(next, 1));
      Outputs.check(next, id(1), content);
      assertEquals(0, next.stats().memory().usedBytes());
      assertEnds(next);
    }
  }

  /** What marks a place of an output as committed, as it was before the output left. */
  private record Mark(OutputLocation place, byte[] trailer) {
    static Mark of(OutputLocation place) throws IOException {
      byte[] trailer = new byte[FooterLayout.TRAILER_BYTES];
      place.read(place.lengthBytes() - trailer.length, trailer);
      return new Mark(place, trailer);
    }

    /** As if the service had died before it took the mark away. */
    void restore() throws IOException {
      Path path = place.extents().get(place.extents().size() - 1).segment().path();
      try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
        file.write(ByteBuffer.wrap(trailer), place.trailer().trailerOffsetBytes());
      }
    }
  }

  private static void assertOnDiskAlone(SpillStore store, Outputs.Content content)
      throws IOException {
    assertEquals(1, store.stats().outputs());
    assertOn(Tier.DISK, output(store, 1));
    Outputs.check(store, id(1), content);
    assertEquals(0, store.stats().memory().usedBytes(), "the other place is free");
  }

  /** It died between the two marks. */
  @Test
  void ofTwoPlacesThatAreMarkedTheLaterOneCounts() throws Exception {
    Outputs.Content content;
    Mark left;
    try (SpillStore store = open(configWithDisk(2).build())) {
      content = commit(store, 1, OUTPUT_BYTES);
      left = Mark.of(output(store, 1).location());
      store.moveToDisk(output(store, 1), () -> true);
    }
    left.restore();
    try (SpillStore next = open(configWithDisk(2).recover(Set.of()).build())) {
      assertOnDiskAlone(next, content);
      next.freeApplication(APP);
    }
    try (SpillStore last = open(configWithDisk(2).recover(Set.of()).build())) {
      assertTrue(last.find(id(1)).isEmpty(), "the mark of the other place stayed");
      assertEnds(last);
    }
  }

  /** The same, and some of it lies where both places have it. */
  @Test
  void ofTwoPlacesThatShareSomeOfTheDiskTheLaterOneCounts() throws Exception {
    Outputs.Content content;
    Mark left;
    try (SpillStore store = open(configWithDisk(2).build())) {
      OutputLocation drawn;
      do {
        store.freeOutput(id(1));
        content = commitByTurns(store, 2 * SEGMENT_BYTES);
        drawn = output(store, 1).location();
      } while (drawn.bytesOf(Tier.MEMORY) == 0 || onDisk(output(store, 1)).isEmpty());
      left = Mark.of(drawn);
      store.moveToDisk(output(store, 1), () -> true);
    }
    left.restore();
    try (SpillStore next = open(configWithDisk(2).recover(Set.of()).build())) {
      assertOnDiskAlone(next, content);
      assertEnds(next);
    }
  }

  /** It died between the two marks, and its successor before it could delete what it had freed. */
  @Test
  void whatIsFreedStaysSoAlsoWhereItsPlacesSharedTheEnd() throws Exception {
    OutputLocation left;
    byte[] mark = new byte[FooterLayout.TRAILER_BYTES];
    try (SpillStore store = open(configWithDisk(2).build())) {
      do {
        store.freeOutput(id(1));
        commitByTurns(store, 2 * SEGMENT_BYTES);
        left = output(store, 1).location();
      } while (left.bytesOf(Tier.MEMORY) == 0 || left.tail().info().tier() == Tier.MEMORY);
      left.read(left.lengthBytes() - mark.length, mark);
      store.moveToDisk(output(store, 1), () -> true);
    }
    Path path = left.tail().info().path();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.WRITE)) {
      file.write(ByteBuffer.wrap(mark), left.trailer().trailerOffsetBytes());
    }
    StoreConfig.Builder dying =
        configWithDisk(2)
            .segmentListener(
                onRemoval(
                    segment -> {
                      throw new IllegalStateException("of the test");
                    }));
    try (SpillStore next = open(dying.recover(Set.of()).build())) {
      assertOn(Tier.DISK, output(next, 1));
      next.freeOutput(id(1));
    }
    try (SpillStore last = open(configWithDisk(2).recover(Set.of()).build())) {
      assertTrue(last.find(id(1)).isEmpty(), "the mark of the other place stayed");
      assertEnds(last);
    }
  }

  /** It died between the two marks, and its successor while the application goes on. */
  @Test
  void aPlaceThatWasLeftIsNotFoundBesideWhatReplacesTheOutput() throws Exception {
    Mark left;
    try (SpillStore store = open(configWithDisk(2).build())) {
      commit(store, 1, OUTPUT_BYTES);
      left = Mark.of(output(store, 1).location());
      store.moveToDisk(output(store, 1), () -> true);
      store.openLease(APP).lease(2 * SEGMENT_BYTES); // not given back, as what it was leaving
    }
    left.restore();
    Outputs.Content later;
    try (SpillStore next = open(configWithDisk(2).recover(Set.of(APP)).build());
        Lease lease = next.openLease(APP)) {
      later = commit(ReplaceTest.replacing(lease), id(1), random, OUTPUT_BYTES);
    }
    try (SpillStore last = open(configWithDisk(2).recover(Set.of(APP)).build())) {
      assertEquals(1, last.stats().outputs());
      Outputs.check(last, id(1), later);
      assertEnds(last);
    }
  }

  @Test
  void whatWasLeftIsGrantedAfterARestartWhileTheApplicationGoesOn() throws Exception {
    try (SpillStore store = open(configWithDisk(2).build())) {
      commit(store, 1, OUTPUT_BYTES);
      output(store, 1).runs(0);
      store.moveToDisk(output(store, 1), () -> true);
    }
    try (SpillStore next = open(configWithDisk(2).recover(Set.of(APP)).build())) {
      assertOn(Tier.DISK, output(next, 1));
      assertEquals(0, next.stats().memory().usedBytes());
      assertEnds(next);
    }
  }

  @Test
  void roomOnDiskThatWasLeftIsFreeAtOnceWhoeverWasToldOfIt() throws Exception {
    try (SpillStore store = open(configWithDisk(1).build())) {
      CommittedOutput before = onBothTiers(store);
      before.runs(0);
      store.moveToDisk(before, () -> true);
      StoreStats stats = store.stats();
      assertEquals(stats.disk().committedBytes(), stats.disk().createdBytes());
      assertEnds(store);
    }
  }

  /** A mark of what is free cannot be written; that costs room after the next restart alone. */
  @Test
  void whoeverKeepsTheBooksIsToldOfAMoveWhateverFailsBehindIt() throws Exception {
    FailingArea marks = new FailingArea();
    AtomicLong movedBytes = new AtomicLong();
    StoreConfig config = configWithDisk(2).memoryKeeper(countingMoves(movedBytes)).build();
    try (SpillStore store = SpillStore.open(config, opened -> withMarks(opened, marks))) {
      Outputs.Content content = commit(store, 1, OUTPUT_BYTES);
      long leftBytes = output(store, 1).location().bytesOf(Tier.MEMORY);
      marks.failAfter(0);
      assertEquals(leftBytes, store.moveToDisk(output(store, 1), () -> true));
      assertEquals(leftBytes, movedBytes.get());
      assertOn(Tier.DISK, output(store, 1));
      Outputs.check(store, id(1), content);
      assertEnds(store);
    }
  }

  private PoolSpace withMarks(StoreConfig config, MetaArea marks) throws IOException {
    return new ForwardedSpace(place.open(config)) {
      @Override
      public MetaArea leaseMarks() {
        return marks;
      }
    };
  }

  private static MemoryArbiter countingMoves(AtomicLong movedBytes) {
    return (MemoryArbiter)
        Proxy.newProxyInstance(
            MemoryArbiter.class.getClassLoader(),
            new Class<?>[] {MemoryArbiter.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("moved")) {
                movedBytes.addAndGet((long) arguments[1]);
              }
              return method.invoke(MemoryArbiter.NONE, arguments);
            });
  }
}
