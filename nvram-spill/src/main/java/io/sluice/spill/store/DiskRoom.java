package io.sluice.spill.store;

import io.sluice.spill.segment.Extent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants room on the disk tier. Who gets it is decided under the lock of the store; the files are
 * made under none, so that a disk which takes its time for them holds up nobody but whoever leases
 * there.
 *
 * <p>Thread contract: what says so is called under the lock, all else under none. Failure: {@link
 * StoreFullException} with nothing granted. A directory in which a file cannot be made is left out,
 * and the next one tried.
 */
final class DiskRoom {
  private static final Logger LOG = LoggerFactory.getLogger(DiskRoom.class);

  private final ReentrantLock lock;
  private final Condition ended;
  private final Allocator allocator;
  private final DiskTier disk;
  private final Leased leased;
  private final Usable usable;
  private final Set<Request> making = new HashSet<>(); // guarded by the lock

  /** What a lease must still be; called under the lock. */
  interface Usable {
    /** Throws if it is not. */
    void check(Lease lease) throws IOException;
  }

  /** What becomes of a request; called under the lock. */
  interface Outcome {
    /** The lease has these, in files that are there. */
    void granted(List<Extent> extents);

    /** It has nothing, since so much is lacking; returns what its task is told. */
    String refused(long shortBytes) throws IOException;
  }

  /** What a lease asks for, and where it is being made. */
  static final class Request {
    private final Lease lease;
    private final long lengthBytes;
    private final Outcome outcome;
    private final Set<Path> tried = new HashSet<>(); // in vain
    private DiskTier.Reservation reservation;

    private Request(Lease lease, long lengthBytes, Outcome outcome) {
      this.lease = lease;
      this.lengthBytes = lengthBytes;
      this.outcome = outcome;
    }
  }

  DiskRoom(ReentrantLock lock, Allocator allocator, Leased leased, Usable usable) {
    this.lock = lock;
    this.ended = lock.newCondition();
    this.allocator = allocator;
    this.disk = allocator.disk();
    this.leased = leased;
    this.usable = usable;
  }

  /** Reserves so much for a lease; called under the lock. What it returns is to be made. */
  Request reserve(Lease lease, long lengthBytes, Outcome outcome) throws IOException {
    Request request = new Request(lease, lengthBytes, outcome);
    try {
      reserve(request);
      return request;
    } catch (IOException | RuntimeException | Error e) {
      end(request);
      throw e;
    }
  }

  private void reserve(Request request) throws IOException {
    Tenant tenant = Tenant.of(request.lease);
    Optional<DiskDirectories.Room> room = disk.roomiest(request.tried);
    if (room.isPresent()) {
      disk.checkShare(tenant, request.lengthBytes, room.get().allBytes(), leased);
    }
    long roomBytes = room.map(DiskDirectories.Room::usableBytes).orElse(0L);
    if (roomBytes < request.lengthBytes) {
      throw new StoreFullException(request.outcome.refused(request.lengthBytes - roomBytes));
    }
    Path directory = room.orElseThrow().path();
    request.reservation = disk.reserve(directory, tenant, request.lengthBytes);
    making.add(request);
  }

  /** Makes the files of what was reserved. */
  List<Extent> make(Request request) throws IOException {
    try {
      while (true) {
        Optional<List<SegmentHandle>> files = makeInTurn(request);
        if (files.isPresent()) {
          return grant(request, files.get());
        }
      }
    } catch (IOException | RuntimeException | Error e) {
      giveUp(request); // last: its room has come back
      throw e;
    }
  }

  /** Empty if its directory has failed, and room is reserved elsewhere now. */
  private Optional<List<SegmentHandle>> makeInTurn(Request request) throws IOException {
    ReentrantLock turn = request.reservation.turn();
    IOException failure;
    turn.lock();
    try {
      requireUsable(request);
      try {
        return Optional.of(disk.make(request.reservation, request.tried.isEmpty()));
      } catch (IOException e) {
        failure = e;
      }
    } finally {
      turn.unlock();
    }
    reserveElsewhere(request, failure);
    return Optional.empty();
  }

  private void requireUsable(Request request) throws IOException {
    lock.lock();
    try {
      usable.check(request.lease);
    } finally {
      lock.unlock();
    }
  }

  private void reserveElsewhere(Request request, IOException cause) throws IOException {
    lock.lock();
    try {
      request.tried.add(request.reservation.directory());
      disk.failed(request.reservation, cause);
      disk.notMade(request.reservation);
      usable.check(request.lease);
      reserve(request);
    } finally {
      lock.unlock();
    }
  }

  private List<Extent> grant(Request request, List<SegmentHandle> files) throws IOException {
    try {
      return grantNow(request, files);
    } catch (IOException | RuntimeException | Error e) {
      files.forEach(file -> DiskTier.deleteAfter(e, file));
      throw e;
    }
  }

  private List<Extent> grantNow(Request request, List<SegmentHandle> files) throws IOException {
    lock.lock();
    try {
      usable.check(request.lease);
      List<Extent> extents = disk.made(request.reservation, files);
      request.outcome.granted(extents);
      end(request);
      return extents;
    } finally {
      lock.unlock();
    }
  }

  /** What was reserved is not made. */
  void giveUp(Request request) {
    lock.lock();
    try {
      end(request);
    } finally {
      lock.unlock();
    }
  }

  private void end(Request request) {
    making.remove(request);
    ended.signalAll();
    if (request.reservation != null) {
      disk.notMade(request.reservation);
    }
  }

  /** What is being made for a lease where that can be done; called under the lock. */
  long makingBytes(Lease lease) {
    return making.stream()
        .filter(each -> each.lease == lease && disk.mayWork(each.reservation.directory()))
        .mapToLong(each -> each.lengthBytes)
        .sum();
  }

  /**
   * Waits for what is being made now, and for what directories were asked to do with files: room
   * may come back by that, on disk, or in memory that was leased with what is made.
   */
  void settle(long waitMs) {
    long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
    List<DiskThread> threads;
    lock.lock();
    try {
      Set<Request> begun = Set.copyOf(making);
      awaitEnd(begun::contains, endNs);
      threads = disk.fileThreads();
    } finally {
      lock.unlock();
    }
    for (DiskThread each : threads) {
      long leftNs = endNs - System.nanoTime();
      if (leftNs <= 0) {
        return;
      }
      try {
        each.ask(() -> null).await(TimeUnit.NANOSECONDS.toMillis(leftNs));
      } catch (IOException e) {
        LOG.debug("What a directory of the disk tier has to do is not waited for any longer", e);
      }
    }
  }

  /** Waits until nothing is made for a lease, so long at most. */
  void awaitEnd(Lease lease, long waitMs) {
    lock.lock();
    try {
      awaitEnd(
          request -> request.lease == lease,
          System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs));
    } finally {
      lock.unlock();
    }
  }

  private void awaitEnd(Predicate<Request> whose, long endNs) {
    boolean interrupted = false;
    long leftNs = endNs - System.nanoTime();
    while (leftNs > 0 && making.stream().anyMatch(whose)) {
      try {
        leftNs = ended.awaitNanos(leftNs);
      } catch (InterruptedException e) {
        interrupted = true;
        leftNs = endNs - System.nanoTime();
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  /** Waits until nothing is made any more; returns whether that is so. */
  boolean awaitEnd(long waitMs) {
    lock.lock();
    try {
      awaitEnd(request -> true, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs));
      return making.isEmpty();
    } finally {
      lock.unlock();
    }
  }
}
