package io.sluice.spill.store;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.sluice.spill.format.OutputId;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.SegmentInfo;
import io.sluice.spill.segment.SegmentName;
import io.sluice.spill.segment.Tier;
import io.sluice.spill.store.SegmentHandle.SegmentListener;
import io.sluice.spill.writer.OutputWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Several owners in one pool: no file ever serves two. */
class OwnersTest extends PoolTestBase {
  private static final Owner ANN = new Owner(1001);
  private static final Owner BOB = new Owner(1002);
  private static final Owner EVE = new Owner(-2);
  private static final String BOBS_APP = "application_1_0002";
  private static final Function<String, Optional<Owner>> OWNERS =
      application -> Optional.of(application.equals(APP) ? ANN : BOB);
  private static final long TIMEOUT_S = 120;

  private final AtomicLong nowNs = new AtomicLong();
  private final AtomicLong failuresLeft = new AtomicLong(1);

  private SpillStore open(StoreConfig.Builder config) throws IOException {
    return open(config, place::open);
  }

  private SpillStore open(StoreConfig.Builder config, PoolSpace.Opener opener) throws IOException {
    return SpillStore.open(config.shared().build(), opener, nowNs::get);
  }

  private void failOnce() throws IOException {
    if (failuresLeft.getAndDecrement() > 0) {
      throw new IOException("expected by this test");
    }
  }

  private static void cut(SegmentInfo segment, long lengthBytes) throws IOException {
    try (FileChannel file = FileChannel.open(segment.path(), StandardOpenOption.WRITE)) {
      file.truncate(lengthBytes);
    }
  }

  private StoreConfig.Builder recovering(int segments) {
    return config(segments).recover(Set.of()).applicationOwners(OWNERS);
  }

  private static SegmentInfo segmentOf(List<Extent> extents) {
    return extents.get(0).segment();
  }

  private static Optional<Owner> nameOf(SegmentInfo segment) {
    return SegmentName.parse(segment.path()).orElseThrow().owner();
  }

  @Test
  void fragmentsAreNotShared() throws IOException {
    try (SpillStore store = open(configWithDisk(2));
        Lease ann = store.openLease(APP, ANN);
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      SegmentInfo anns = segmentOf(ann.lease(1));
      SegmentInfo bobs = segmentOf(bob.lease(1));
      assertNotEquals(anns.segmentId(), bobs.segmentId());
      assertEquals(Optional.of(ANN), nameOf(anns));
      assertEquals(Optional.of(BOB), nameOf(bobs));
      assertEquals(BOB, store.segment(bobs.segmentId()).orElseThrow().owner());
      SegmentInfo overflow = segmentOf(bob.lease(SEGMENT_BYTES));
      assertEquals(bobs.segmentId(), overflow.segmentId(), "what is left of his own comes first");
      List<Extent> onDisk = bob.lease(SEGMENT_BYTES);
      assertEquals(Tier.DISK, segmentOf(onDisk).tier());
      assertEquals(Optional.of(BOB), nameOf(segmentOf(onDisk)));
    }
  }

  @Test
  void aPoolThatIsNotSharedServesItsOwnUserAlone() throws IOException {
    try (SpillStore store = open(config(1).build())) {
      assertThrows(IllegalArgumentException.class, () -> store.openLease(APP, ANN));
    }
  }

  @Test
  void anIdleSegmentGoesOverAsAnotherFileThatIsZero() throws IOException {
    try (SpillStore store = open(config(1))) {
      SegmentInfo anns;
      try (Lease ann = store.openLease(APP, ANN)) {
        anns = segmentOf(ann.lease(SEGMENT_BYTES));
        stamp(anns, 0, SEGMENT_BYTES, 7);
      }
      try (FileChannel kept = FileChannel.open(anns.path(), StandardOpenOption.READ);
          Lease bob = store.openLease(BOBS_APP, BOB)) {
        SegmentInfo bobs = segmentOf(bob.lease(SEGMENT_BYTES));
        assertEquals(anns.segmentId(), bobs.segmentId());
        assertEquals(anns.incarnation() + 1, bobs.incarnation());
        assertArrayEquals(new byte[SEGMENT_BYTES], Files.readAllBytes(bobs.path()));
        stamp(bobs, 0, SEGMENT_BYTES, 9);
        assertEquals(0, kept.size(), "what ann has kept shows nothing of it");
        assertFalse(Files.exists(anns.path()));
        assertEquals(1, store.stats().handOvers());
        assertTrue(store.hold(ANN, anns.segmentId(), anns.incarnation()).isEmpty());
        assertTrue(store.hold(BOB, anns.segmentId(), anns.incarnation()).isEmpty());
      }
    }
  }

  @Test
  void whatIsUsedDoesNotGoOver() throws IOException {
    try (SpillStore store = open(config(1));
        Lease ann = store.openLease(APP, ANN);
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      List<Extent> all = ann.lease(SEGMENT_BYTES);
      ann.release(List.of(part(all.get(0), 1, SEGMENT_BYTES / BLOCK_BYTES - 1)));
      assertThrows(StoreFullException.class, () -> bob.lease(1));
      assertEquals(0, store.stats().handOvers());
      ann.release(List.of(part(all.get(0), 0, 1)));
      bob.lease(SEGMENT_BYTES);
    }
  }

  @Test
  void anOutputKeepsItsSegment() throws IOException {
    Random random = seeded("anOutputKeepsItsSegment");
    try (SpillStore store = open(config(1));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      Outputs.Content content = commit(store.openLease(APP, ANN), id(1), random, 100_000);
      assertThrows(StoreFullException.class, () -> bob.lease(1));
      Outputs.check(store, id(1), content);
      store.freeApplication(APP);
      bob.lease(SEGMENT_BYTES);
    }
  }

  @Test
  void whatSomebodyMayReadIsLeftAloneForAWhile() throws IOException {
    try (SpillStore store = open(config(1))) {
      SegmentInfo anns = usedBy(store, APP, ANN);
      SegmentHold held = store.hold(ANN, anns.segmentId(), anns.incarnation()).orElseThrow();
      SegmentHold again = store.hold(ANN, anns.segmentId(), anns.incarnation()).orElseThrow();
      again.close();
      again.close();
      assertThrows(StoreFullException.class, () -> usedBy(store, BOBS_APP, BOB));
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(SegmentReassignment.HELD_IDLE_MS));
      SegmentInfo bobs = usedBy(store, BOBS_APP, BOB);
      assertEquals(anns.incarnation() + 1, bobs.incarnation());
      SegmentHold bobsHold = store.hold(BOB, bobs.segmentId(), bobs.incarnation()).orElseThrow();
      held.close(); // of a file that is gone, and bob's is held all the same
      assertThrows(StoreFullException.class, () -> usedBy(store, APP, ANN));
      bobsHold.close();
      assertEquals(bobs.incarnation() + 1, usedBy(store, APP, ANN).incarnation());
    }
  }

  /** A block's segment, given back. */
  private static SegmentInfo usedBy(SpillStore store, String application, Owner owner)
      throws IOException {
    try (Lease lease = store.openLease(application, owner)) {
      return segmentOf(lease.lease(1));
    }
  }

  @Test
  void theOwnUsersTasksMayReadToo() throws IOException {
    try (SpillStore store = open(config(1));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      try (Lease own = store.openLease(APP)) {
        own.lease(1);
      }
      assertThrows(StoreFullException.class, () -> bob.lease(1));
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(SegmentReassignment.HELD_IDLE_MS));
      bob.lease(1);
    }
  }

  @Test
  void oneSegmentIsReadyWhenTwoOwnersHaveSome() throws Exception {
    CountDownLatch third = new CountDownLatch(3);
    PoolSpace.Opener counting =
        opened ->
            new ForwardedSpace(place.open(opened)) {
              @Override
              public boolean makeFree(int segmentId, BooleanSupplier stopped) throws IOException {
                boolean made = super.makeFree(segmentId, stopped);
                third.countDown();
                return made;
              }
            };
    try (SpillStore store = open(config(3), counting);
        Lease ann = store.openLease(APP, ANN);
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      ann.lease(1);
      bob.lease(1);
      assertTrue(third.await(TIMEOUT_S, TimeUnit.SECONDS), "none is made ahead");
    }
  }

  @Test
  void listenersAreToldOfWhatIsSomebodysAndBeforeItGoes() throws IOException {
    List<String> told = new ArrayList<>();
    SegmentListener listener =
        new SegmentListener() {
          @Override
          public void segmentAdded(SegmentHandle segment) {
            told.add("+" + segment.owner() + " " + segment.info().incarnation());
          }

          @Override
          public void segmentRemoved(SegmentHandle segment) {
            assertTrue(segment.mapping().isPresent());
            told.add("-" + segment.owner() + " " + segment.info().incarnation());
          }
        };
    Random random = seeded("listenersAreToldOfWhatIsSomebodysAndBeforeItGoes");
    try (SpillStore store = open(config(1).segmentListener(listener))) {
      commit(store.openLease(APP, ANN), id(1), random, 100_000);
      store.freeApplication(APP);
      OutputId bobs = new OutputId(BOBS_APP, "attempt_1_0002_m_0_0");
      commit(store.openLease(BOBS_APP, BOB), bobs, random, 100_000);
      assertEquals(List.of("+1001 0", "-1001 0", "+1002 1"), told);
    }
  }

  @Test
  void whereASegmentCannotBeClaimedAnotherTierServesAndItIsTriedAgain() throws IOException {
    PoolSpace.Opener failing =
        opened ->
            new ForwardedSpace(place.open(opened)) {
              @Override
              public SegmentHandle claim(int segmentId, Owner owner) throws IOException {
                failOnce();
                return super.claim(segmentId, owner);
              }
            };
    try (SpillStore store = open(configWithDisk(1), failing);
        Lease ann = store.openLease(APP, ANN)) {
      assertEquals(Tier.DISK, segmentOf(ann.lease(1)).tier());
      assertEquals(1, store.stats().segmentFailures());
      assertEquals(Tier.DISK, segmentOf(ann.lease(SEGMENT_BYTES)).tier());
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(MemoryTier.CLAIM_PAUSE_MS));
      assertEquals(Tier.MEMORY, segmentOf(ann.lease(1)).tier());
    }
  }

  /** Else the file of before would be registered for good, under the id of the next. */
  @Test
  void whatIsBeingCommittedDoesNotGoOverMeanwhile() throws IOException {
    List<Lease> closed = new ArrayList<>();
    List<SpillStore> stores = new ArrayList<>();
    Set<Owner> told = new HashSet<>();
    List<String> grantedMeanwhile = new ArrayList<>();
    SegmentListener listener =
        new SegmentListener() {
          @Override
          public void segmentAdded(SegmentHandle segment) {
            if (!segment.owner().equals(ANN) || !told.add(segment.owner())) {
              return;
            }
            SegmentInfo info = segment.info(); // which cannot go while it is being registered
            try (SegmentHold held =
                    stores.get(0).hold(ANN, info.segmentId(), info.incarnation()).orElseThrow();
                Lease bob = stores.get(0).openLease(BOBS_APP, BOB)) {
              closed.get(0).close(); // its blocks are free, and the other segment idle
              bob.lease(1);
              grantedMeanwhile.add(held.segment().toString());
            } catch (StoreFullException e) {
              return; // as it must be
            } catch (IOException e) {
              throw new AssertionError(e);
            }
          }

          @Override
          public void segmentRemoved(SegmentHandle segment) {}
        };
    Random random = seeded("whatIsBeingCommittedDoesNotGoOverMeanwhile");
    try (SpillStore store = open(config(2).segmentListener(listener))) {
      stores.add(store);
      Lease ann = store.openLease(APP, ANN);
      closed.add(ann);
      byte[] run = new byte[SEGMENT_BYTES * 3 / 2]; // so that both segments are ann's
      assertThrows(
          IOException.class,
          () -> {
            try (OutputWriter writer = writer(ann, 1)) {
              Outputs.write(writer, new Outputs.Content(1, List.of(0), List.of(run)), random);
              writer.commit(id(1));
            }
          });
      assertEquals(Set.of(ANN), told);
      assertEquals(List.of(), grantedMeanwhile);
      try (Lease bob = store.openLease(BOBS_APP, BOB)) {
        assertEquals(1, segmentOf(bob.lease(1)).incarnation(), "and behind it, it does");
      }
    }
  }

  @Test
  void whatCannotBeTakenIsNobodysAndIsTriedAgain() throws IOException {
    PoolSpace.Opener failing =
        opened ->
            new ForwardedSpace(place.open(opened)) {
              @Override
              public void retire(SegmentHandle segment) throws IOException {
                failOnce();
                super.retire(segment);
              }
            };
    try (SpillStore store = open(config(1), failing);
        Lease ann = store.openLease(APP, ANN);
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      ann.release(ann.lease(1));
      assertThrows(StoreFullException.class, () -> bob.lease(1));
      assertThrows(StoreFullException.class, () -> ann.lease(1), "it is nobody's");
      nowNs.addAndGet(TimeUnit.MILLISECONDS.toNanos(SegmentReassignment.RETRY_PAUSE_MS));
      assertEquals(1, segmentOf(bob.lease(1)).incarnation());
    }
  }

  @Test
  void aDeviceIsOfOneOwner() throws IOException {
    place = TestPlace.FILE_AS_DEVICE;
    assumePlace();
    try (SpillStore store = open(configWithDisk(1));
        Lease ann = store.openLease(APP, ANN);
        Lease own = store.openLease(APP)) {
      assertEquals(Tier.DISK, segmentOf(ann.lease(1)).tier());
      assertEquals(Tier.MEMORY, segmentOf(own.lease(1)).tier());
    }
  }

  @Test
  void ownersAreKnownAfterARestart() throws IOException {
    Random random = seeded("ownersAreKnownAfterARestart");
    Outputs.Content content;
    SegmentInfo anns;
    try (SpillStore store = open(config(2))) {
      content = commit(store.openLease(APP, ANN), id(1), random, 100_000);
      anns = segmentOf(store.find(id(1)).orElseThrow().extents());
    }
    try (SpillStore store = open(recovering(2));
        Lease bob = store.openLease(BOBS_APP, BOB);
        Lease ann = store.openLease(APP, ANN)) {
      Outputs.check(store, id(1), content);
      assertEquals(ANN, store.segment(anns.segmentId()).orElseThrow().owner());
      assertNotEquals(anns.segmentId(), segmentOf(bob.lease(1)).segmentId());
      assertEquals(anns.segmentId(), segmentOf(ann.lease(1)).segmentId());
    }
  }

  /** Where a service may die while a segment of ann's goes over to bob. */
  enum Step {
    CUT,
    FILLING,
    NAMED,
    GIVEN
  }

  @ParameterizedTest
  @EnumSource(Step.class)
  void aHandOverIsFinishedByTheNextService(Step step) throws IOException {
    Random random = seeded("aHandOverIsFinishedByTheNextService");
    Outputs.Content content;
    SegmentInfo going;
    try (SpillStore store = open(config(2))) {
      try (Lease ann = store.openLease(APP, ANN)) {
        going = segmentOf(ann.lease(SEGMENT_BYTES));
        stamp(going, 0, SEGMENT_BYTES, 7);
        content = commit(store.openLease(APP, ANN), id(1), random, 100_000);
      }
    }
    SegmentName former = SegmentName.parse(going.path()).orElseThrow();
    cut(going, 0);
    SegmentName next =
        new SegmentName(
            former.pool(), former.segmentId(), former.incarnation() + 1, Optional.empty());
    Path free = pool().resolve(next.toString());
    if (step == Step.FILLING) {
      Files.write(pool().resolve(next + ".tmp"), new byte[BLOCK_BYTES]);
    } else if (step != Step.CUT) {
      Files.write(free, new byte[SEGMENT_BYTES]);
    }
    if (step == Step.GIVEN) {
      SegmentName given =
          new SegmentName(next.pool(), next.segmentId(), next.incarnation(), Optional.of(BOB));
      Files.move(free, pool().resolve(given.toString()), StandardCopyOption.ATOMIC_MOVE);
    }
    try (SpillStore store = open(recovering(2));
        Lease bob = store.openLease(BOBS_APP, BOB)) {
      Outputs.check(store, id(1), content);
      SegmentInfo bobs = segmentOf(bob.lease(SEGMENT_BYTES));
      assertEquals(going.segmentId(), bobs.segmentId());
      assertTrue(bobs.incarnation() > going.incarnation(), bobs.toString());
      assertArrayEquals(new byte[SEGMENT_BYTES], Files.readAllBytes(bobs.path()));
      try (Stream<Path> files = Files.list(pool())) {
        assertEquals(
            2, files.filter(file -> file.getFileName().toString().startsWith("segment")).count());
      }
    }
  }

  @Test
  void aFileThatItsOwnerHasCutKeepsNoServiceFromStarting() throws IOException {
    SegmentInfo anns;
    try (SpillStore store = open(config(1))) {
      anns = segmentOf(store.openLease(APP, ANN).lease(1));
    }
    cut(anns, 5);
    try (SpillStore store = open(recovering(1));
        Lease ann = store.openLease(APP, ANN)) {
      assertEquals(anns.incarnation() + 1, segmentOf(ann.lease(SEGMENT_BYTES)).incarnation());
    }
  }

  /** What an owner does in the schedule, and every file that he was ever sent, which he keeps. */
  private final class Task {
    private final Owner owner;
    private final String app;
    private final byte mark;
    private final Map<String, FileChannel> kept = new HashMap<>();
    private Lease lease;
    private int outputs;

    Task(Owner owner, String app, int mark) {
      this.owner = owner;
      this.app = app;
      this.mark = (byte) mark;
    }

    void take(SpillStore store, Map<Object, Owner> sent, int lengthBytes, boolean contiguous)
        throws IOException {
      if (lease == null) {
        lease = store.openLease(app, owner);
      }
      List<Extent> granted;
      try {
        granted =
            contiguous ? List.of(lease.leaseContiguous(lengthBytes)) : lease.lease(lengthBytes);
      } catch (StoreFullException e) {
        return;
      }
      for (Extent extent : granted) {
        SegmentInfo segment = extent.segment();
        Object inode = Files.getAttribute(segment.path(), "unix:ino");
        kept.computeIfAbsent(segment.path().toString(), path -> keep(segment.path()));
        Owner first = sent.putIfAbsent(inode, owner);
        assertTrue(first == null || first.equals(owner), segment + " was sent to " + first);
        checkNothingOfOthers(extent);
        stamp(segment, extent.offsetBytes(), (int) extent.lengthBytes(), mark);
      }
    }

    /** Kept open, so that no other file can have its inode. */
    private FileChannel keep(Path path) {
      try {
        return FileChannel.open(path, StandardOpenOption.READ);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private void checkNothingOfOthers(Extent extent) throws IOException {
      try (FileChannel file = FileChannel.open(extent.segment().path())) {
        ByteBuffer bytes = ByteBuffer.allocate((int) extent.lengthBytes());
        file.read(bytes, extent.offsetBytes());
        assertOnlyMine(bytes.array(), extent);
      }
    }

    private void assertOnlyMine(byte[] bytes, Object where) {
      for (byte each : bytes) {
        if (each != 0 && each != mark) {
          throw new AssertionError("byte " + each + " of another in " + where);
        }
      }
    }

    void giveBack() throws IOException {
      if (lease != null) {
        lease.close();
        lease = null;
      }
    }

    /** What it has kept shows no byte of anybody else. */
    void checkKept() throws IOException {
      for (FileChannel file : kept.values()) {
        ByteBuffer bytes = ByteBuffer.allocate((int) file.size());
        file.read(bytes, 0);
        assertOnlyMine(bytes.array(), "a kept descriptor");
        file.close();
      }
    }
  }

  @Test
  void noFileThatWasSentToOneOwnerIsEverAnothers() throws IOException {
    Random random = seeded("noFileThatWasSentToOneOwnerIsEverAnothers");
    Map<Object, Owner> sent = new HashMap<>();
    List<Task> tasks =
        List.of(
            new Task(ANN, APP, 1), new Task(BOB, BOBS_APP, 2), new Task(EVE, "application_3", 3));
    long handOvers = 0;
    SpillStore store = open(config(4));
    try {
      for (int step = 0; step < 300; step++) {
        Task task = tasks.get(random.nextInt(tasks.size()));
        switch (random.nextInt(8)) {
          case 0, 1 -> task.giveBack();
          case 2 -> nowNs.addAndGet(TimeUnit.SECONDS.toNanos(random.nextInt(20)));
          case 3 -> {
            if (random.nextInt(10) == 0) { // a restart, with every task gone
              for (Task each : tasks) {
                each.giveBack();
              }
              handOvers += store.stats().handOvers();
              store.close();
              store = open(recovering(4));
            }
          }
          default ->
              task.take(
                  store, sent, 1 + random.nextInt(SEGMENT_BYTES * 3 / 2), random.nextInt(4) == 0);
        }
      }
      for (Task each : tasks) {
        each.giveBack();
      }
      handOvers += store.stats().handOvers();
      assertTrue(handOvers > 0, "nothing went over");
      for (Task each : tasks) {
        each.checkKept();
      }
      try (Lease all = store.openLease(BOBS_APP, BOB)) { // nothing was lost on the way
        assertEquals(
            4L * SEGMENT_BYTES,
            all.lease(4L * SEGMENT_BYTES).stream().mapToLong(Extent::lengthBytes).sum());
      }
    } finally {
      store.close();
    }
  }

  private static Extent part(Extent extent, int firstBlock, int blocks) {
    return new Extent(
        extent.segment(),
        extent.offsetBytes() + (long) firstBlock * BLOCK_BYTES,
        (long) blocks * BLOCK_BYTES);
  }

  private static void stamp(SegmentInfo segment, long offsetBytes, int lengthBytes, int mark)
      throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(lengthBytes);
    while (bytes.hasRemaining()) {
      bytes.put((byte) mark);
    }
    try (FileChannel file = FileChannel.open(segment.path(), StandardOpenOption.WRITE)) {
      file.write(bytes.flip(), offsetBytes);
    }
  }
}
