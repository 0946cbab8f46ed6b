package io.sluice.spill.store;

import io.sluice.rdma.memory.Closer;
import io.sluice.rdma.transport.support.Uninterruptibly;
import io.sluice.spill.segment.Extent;
import io.sluice.spill.segment.Owner;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Grants room on the disk tier. The store decides under its lock which lease gets room. The files
 * are made under no lock, so a slow disk holds up only the leases that get room there.
 *
 * <p>Thread contract: methods that say so are called under the lock, all others under none.
 * Failure: {@link StoreFullException} with nothing granted. A directory in which a file cannot be
 * made is left out, and the next one tried.
 */
final class DiskSpace {
  private static final Logger LOG = LoggerFactory.getLogger(DiskSpace.class);

  private final StoreState state;
  private final ReentrantLock lock;
  private final Condition ended;
  private final Allocator allocator;
  private final DiskTier disk;
  private final Set<Request> making = new HashSet<>(); // guarded by the lock

  /** Is told how a request ends; called under the lock. */
  interface Outcome {
    /** The lease has these, in files that are there. */
    void granted(List<Extent> extents);

    /** The lease has nothing, since so much is lacking; returns the message for its task. */
    String refused(long shortBytes) throws IOException;
  }

  /** A request of a lease, and where its files are made. */
  static final class Request {
    private final Lease lease;
    private final long lengthBytes;
    private final Outcome outcome;
    private final Set<Path> tried = new HashSet<>(); // in vain
    private DiskTier.Reservation reservation;
    private boolean begun; // its turn has come

    private Request(Lease lease, long lengthBytes, Outcome outcome) {
      this.lease = lease;
      this.lengthBytes = lengthBytes;
      this.outcome = outcome;
    }
  }

  DiskSpace(StoreState state) {
    this.state = state;
    this.lock = state.lock;
    this.ended = lock.newCondition();
    this.allocator = state.allocator;
    this.disk = allocator.disk();
  }

  /** Reserves so much for a lease; called under the lock. {@link #make} makes what it returns. */
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
    Owner owner = request.lease.owner();
    Optional<DiskDirectories.Room> room = disk.roomiest(request.tried);
    if (room.isPresent()) {
      allocator.checkShare(owner, request.lengthBytes, room.get(), state.leased);
    }
    long roomBytes = room.map(DiskDirectories.Room::usableBytes).orElse(0L);
    if (roomBytes < request.lengthBytes) {
      throw new StoreFullException(request.outcome.refused(request.lengthBytes - roomBytes));
    }
    Path directory = room.orElseThrow().path();
    request.reservation =
        disk.reserve(directory, owner, request.lease.applicationId(), request.lengthBytes);
    request.begun = false;
    making.add(request);
  }

  /** Makes the files of what was reserved. */
  List<Extent> make(Request request) throws IOException {
    try {
      while (true) {
        Optional<List<DiskSegment>> files = makeInTurn(request);
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
  private Optional<List<DiskSegment>> makeInTurn(Request request) throws IOException {
    ReentrantLock turn = request.reservation.turn();
    turn.lock();
    try {
      if (begin(request)) {
        return Optional.of(
            disk.make(
                request.reservation,
                request.tried.isEmpty(),
                () -> state.whileLocked(() -> state.checkUsable(request.lease))));
      }
    } catch (IOException e) {
      failed(request, e); // before the next one in turn looks
    } finally {
      turn.unlock();
    }
    reserveElsewhere(request);
    return Optional.empty();
  }

  /** Whether its directory is still used. */
  private boolean begin(Request request) throws IOException {
    return state.locked(
        () -> {
          state.checkUsable(request.lease);
          request.begun = true;
          return disk.begin(request.reservation);
        });
  }

  /** Throws if the lease is the reason. */
  private void failed(Request request, IOException cause) throws IOException {
    state.whileLocked(
        () -> {
          state.checkUsable(request.lease);
          disk.failed(request.reservation, cause);
        });
  }

  private void reserveElsewhere(Request request) throws IOException {
    state.whileLocked(
        () -> {
          request.tried.add(request.reservation.directory());
          disk.notMade(request.reservation);
          state.checkUsable(request.lease);
          reserve(request);
        });
  }

  private List<Extent> grant(Request request, List<DiskSegment> files) throws IOException {
    try {
      return state.locked(
          () -> {
            state.checkUsable(request.lease);
            List<Extent> extents = disk.made(request.reservation, files);
            request.outcome.granted(extents);
            end(request);
            return extents;
          });
    } catch (IOException | RuntimeException | Error e) {
      files.forEach(file -> Closer.after(e, file::deleteSometime));
      throw e;
    }
  }

  /** Gives back a reservation whose files are not made. */
  void giveUp(Request request) {
    lock.lock(); // without a lambda: there may be no memory for one
    try {
      end(request);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Gives back at once what is reserved for a lease that has ended, unless its files are being made
   * already; called under the lock.
   */
  void takeBack(Lease lease) {
    Set.copyOf(making).stream()
        .filter(request -> request.lease == lease && !request.begun)
        .forEach(this::end);
  }

  private void end(Request request) {
    making.remove(request);
    ended.signalAll();
    if (request.reservation != null) {
      disk.notMade(request.reservation);
    }
  }

  /**
   * Bytes of the files that are being made for a lease in directories that work; called under the
   * lock.
   */
  long makingBytes(Lease lease) {
    return making.stream()
        .filter(each -> each.lease == lease && disk.mayWork(each.reservation.directory()))
        .mapToLong(each -> each.lengthBytes)
        .sum();
  }

  /**
   * Waits for the files that are being made, and for what directories were asked to do with files.
   * That may give back room on disk, or memory that was leased with these files.
   */
  void settle(long waitMs) {
    long endNs = endNs(waitMs);
    List<DiskThread> threads;
    Set<Request> begun;
    lock.lock();
    try {
      begun = Set.copyOf(making);
      threads = disk.fileThreads();
    } finally {
      lock.unlock();
    }
    CountDownLatch done = new CountDownLatch(threads.size());
    for (DiskThread each : threads) {
      ask(each, done);
    }
    awaitEnd(begun::contains, () -> endNs);
    long leftNs = endNs - System.nanoTime();
    Uninterruptibly.await(done, Math.max(0, TimeUnit.NANOSECONDS.toMillis(leftNs)));
  }

  /** To say when it has done what it was asked for before. */
  private static void ask(DiskThread thread, CountDownLatch done) {
    try {
      thread.ask(
          () -> {
            done.countDown();
            return null;
          });
    } catch (IOException e) {
      LOG.debug("What a directory of the disk tier has to do is not waited for", e);
      done.countDown();
    }
  }

  /** Waits until nothing is made for a lease, so long at most once it has the lock. */
  void awaitEnd(Lease lease, long waitMs) {
    awaitEnd(request -> request.lease == lease, () -> endNs(waitMs));
  }

  /** Waits as the method above until nothing is made any more; returns whether that is so. */
  boolean awaitEnd(long waitMs) {
    return awaitEnd(request -> true, () -> endNs(waitMs));
  }

  private static long endNs(long waitMs) {
    return System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(waitMs);
  }

  /**
   * Waits until none of these is made; returns whether none is.
   *
   * @param end when it gives up, by the clock of {@link System#nanoTime}; asked under the lock
   */
  private boolean awaitEnd(Predicate<Request> these, LongSupplier end) {
    boolean interrupted = false;
    lock.lock();
    try {
      long endNs = end.getAsLong();
      long leftNs = endNs - System.nanoTime();
      while (making.stream().anyMatch(these)) {
        if (leftNs <= 0) {
          return false;
        }
        try {
          leftNs = ended.awaitNanos(leftNs);
        } catch (InterruptedException e) {
          interrupted = true;
          leftNs = endNs - System.nanoTime();
        }
      }
      return true;
    } finally {
      lock.unlock();
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
