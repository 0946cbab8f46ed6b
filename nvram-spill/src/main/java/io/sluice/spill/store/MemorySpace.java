package io.sluice.spill.store;

import io.sluice.spill.segment.Owner;
import io.sluice.spill.segment.Range;
import java.io.Closeable;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;

/**
 * Gets room for the memory tier. Leases that lack room wait here. A thread makes the next segment
 * for them, or takes an idle or emptied one from another owner.
 *
 * <p>{@link PoolGrowth}, {@link SegmentReassignment} and {@link Emptying} decide, without a thread;
 * {@link PoolFiller} makes a segment, {@link Emptier} moves outputs away. This brings them together
 * under the lock of the store.
 *
 * <p>Thread contract: called under the lock of the store, but for {@link #start}, {@link #stop} and
 * the methods for the filler, whose thread takes the lock in them. The threads make, take and empty
 * segments under no lock. Ownership: the store stops it, then closes it. Failure: a lease that
 * waited in vain is told why there is no more room; the tier is as large as it got.
 */
final class MemorySpace implements Closeable {
  private final StoreConfig config;
  private final PoolFiles files;
  private final MemoryTier memory;
  private final AnnouncedSegments announced;
  private final ReentrantLock lock;
  private final Condition grown;
  private final Condition growthWanted;
  private final PoolGrowth growth;
  private final SegmentReassignment handOver;
  private final Emptying emptying;
  private final Emptier emptier;
  private final boolean empties;
  private final PoolFiller filler;
  private boolean ended;

  /**
   * With the segments that {@code memory} has, and no thread yet.
   *
   * @param shared whether there may be several owners
   */
  MemorySpace(
      StoreConfig config,
      PoolFiles files,
      MemoryTier memory,
      boolean shared,
      SegmentHold.Holders holders,
      Emptying.Content content,
      AnnouncedSegments announced,
      ReentrantLock lock,
      LongSupplier nanoTime) {
    this.config = config;
    this.files = files;
    this.memory = memory;
    this.announced = announced;
    this.lock = lock;
    this.grown = lock.newCondition();
    this.growthWanted = lock.newCondition();
    int count = (int) (config.memoryCapacityBytes() / config.segmentBytes());
    List<Integer> missing =
        IntStream.range(0, count).filter(id -> !memory.has(id)).boxed().toList();
    this.growth = new PoolGrowth(config, memory, missing, nanoTime);
    this.handOver =
        new SegmentReassignment(shared, files.owner(), memory, growth, holders, nanoTime);
    this.empties = shared && !config.diskDirectories().isEmpty();
    this.emptying = new Emptying(empties, memory, content, nanoTime);
    this.emptier = new Emptier(emptying, content, lock, this);
    this.filler = new PoolFiller(files.memory(), shared, this);
  }

  void start() {
    filler.start();
    if (empties) {
      emptier.start();
    }
  }

  /** Waits for the threads, once they were told to {@link #end}. */
  void stop() throws IOException {
    filler.stop();
    emptier.stop();
  }

  /** Nothing is made or taken any more, and nobody waits. */
  void end() {
    ended = true;
    grown.signalAll();
    growthWanted.signalAll();
    emptier.end();
  }

  /**
   * Waits while the memory tier has no room and may get some, so long at most.
   *
   * @param last as {@link MemoryTier#take} has it
   * @param usable throws when the lease has nothing to wait for any more
   * @return why it has none, for messages; empty if it has, or is as large as configured
   */
  String await(
      Owner owner,
      long lengthBytes,
      boolean contiguous,
      boolean last,
      long timeoutMs,
      StoreState.Step<IOException> usable)
      throws IOException {
    if (memory.hasRoom(owner, lengthBytes, contiguous, last)) {
      return "";
    }
    if (!files.memory().servesOwners() && !owner.equals(files.owner())) {
      return " (all of it is user id " + files.owner() + "'s)";
    }
    if (contiguous && lengthBytes > config.segmentBytes()) {
      return ""; // no segment will ever do
    }
    if (!memory.mayGetFurther(owner, last)) {
      return share(owner, last); // whatever came, it would not be granted
    }
    long waitMs = Math.min(config.fillTimeoutMs(), timeoutMs);
    growth.need(owner, lengthBytes, contiguous);
    wake();
    try {
      long leftNs = TimeUnit.MILLISECONDS.toNanos(waitMs);
      while (mayCome(owner, last)
          && leftNs > 0
          && !memory.hasRoom(owner, lengthBytes, contiguous, last)) {
        leftNs = grown.awaitNanos(leftNs);
        usable.run();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while waiting for a segment to be created", e);
    } finally {
      growth.noLongerNeed(owner, lengthBytes, contiguous);
    }
    if (memory.hasRoom(owner, lengthBytes, contiguous, last)) {
      return "";
    }
    growth.wentWithout();
    lacked(owner);
    if (mayCome(owner, last)) {
      return " (the next segment did not come within " + waitMs + " ms)";
    }
    return memory.mayGetFurther(owner, last) ? growth.reason() : share(owner, last);
  }

  private String share(Owner owner, boolean last) {
    return " (user id %s has %s segments and may have %s more; the rest is kept for others)"
        .formatted(owner, memory.segmentsOf(owner), memory.mayHave(owner, last));
  }

  /** A lease of that owner found no room, and does not wait for any. */
  void lacked(Owner owner) {
    if (memory.mayHave(owner, true) > 0) {
      emptying.lacked(owner);
    }
    wake();
  }

  /** Whether room that a lease lacks may still come. */
  private boolean mayCome(Owner owner, boolean last) {
    return memory.mayGetFurther(owner, last) && (growth.mayCome() || handOver.mayCome(owner));
  }

  /** Something was given back, so that a segment may be idle now. */
  void gaveBack() {
    if (handOver.isPossible()) {
      wake();
    }
  }

  /** Room has come that nobody had to make. */
  void came() {
    grown.signalAll();
  }

  /** Blocks were taken, or a segment is no longer held: it may be time for the next one. */
  void wake() {
    wakeFiller();
    emptier.wake();
  }

  /** A segment may be wanted, or be idle by now. */
  void wakeFiller() {
    if (growth.isWanted() || handOver.isWanted()) {
      growthWanted.signal();
    }
  }

  /** How many times a segment could not be made. */
  long failures() {
    return growth.failures();
  }

  /** How many segments were taken from their owners. */
  long handedOver() {
    return handOver.count();
  }

  /** Closes what could not be taken from its owner. */
  @Override
  public void close() throws IOException {
    handOver.close();
  }

  /** For the filler: waits until a segment is to be made; empty when none ever will be. */
  OptionalInt awaitWanted() {
    while (true) {
      SegmentHandle taken = null;
      lock.lock();
      try {
        while (!isDone() && !growth.isWanted() && (taken = handOver.next()) == null) {
          growthWanted.awaitUninterruptibly(); // idle, until a lease or the end of the store
        }
        if (taken == null) {
          return isDone() ? OptionalInt.empty() : OptionalInt.of(growth.nextId());
        }
      } finally {
        lock.unlock();
      }
      take(taken);
    }
  }

  private boolean isDone() {
    return ended || growth.isComplete() && !handOver.isPossible();
  }

  /** Takes a segment from its owner, under no lock. */
  private void take(SegmentHandle segment) {
    Throwable failure = null;
    try {
      announced.withdraw(segment);
      files.memory().retire(segment);
    } catch (IOException | RuntimeException | Error e) {
      failure = e;
    }
    lock.lock();
    try {
      if (failure == null) {
        handOver.done(segment);
      } else {
        handOver.failed(segment, failure);
      }
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** For the filler: a segment without an owner exists. */
  void freeCreated(int segmentId) throws IOException {
    writeMarks(new Range(segmentId, 0, config.segmentBytes()));
    lock.lock();
    try {
      growth.made();
      memory.addNobodys(segmentId);
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** For the filler: a segment exists that is this process's user's. It is the store's now. */
  void segmentCreated(SegmentHandle segment) throws IOException {
    try {
      writeMarks(segment.range());
      announced.announce(List.of(segment));
    } catch (IOException | RuntimeException | Error e) {
      files.memory().discard(segment);
      throw e;
    }
    lock.lock();
    try {
      growth.made(); // first: whatever fails from here on, it is never made over itself
      memory.addFree(segment);
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void writeMarks(Range segment) throws IOException {
    lock.lock();
    try {
      files.leaseMarks().freed(segment);
    } finally {
      lock.unlock();
    }
  }

  /** For the filler: the segment that was wanted could not be made. */
  void segmentFailed(String cause) {
    lock.lock();
    try {
      growth.failed(cause);
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** For the filler: no segment follows. */
  void fillerDone() {
    lock.lock();
    try {
      growth.end();
      grown.signalAll();
    } finally {
      lock.unlock();
    }
  }
}
